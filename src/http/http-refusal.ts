import { ServiceError } from '../kernel/errors.ts';

/** A refusal with a status of HTTP that the contract lacks (RFC 9110, sections 15.5.6, 15.5.14, 15.5.16 and 15.5.22). */
export class HttpRefusal extends ServiceError {
  readonly httpStatus: 405 | 413 | 415 | 426;

  constructor(
    httpStatus: HttpRefusal['httpStatus'],
    options: { readonly detail: string; readonly headers?: Readonly<Record<string, string>> },
  ) {
    super('malformed_request', options);
    this.httpStatus = httpStatus;
  }
}

export const httpStatusOf = (failure: ServiceError): number =>
  failure instanceof HttpRefusal ? failure.httpStatus : failure.status;
