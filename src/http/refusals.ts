/** How a request is refused: one way, whatever refuses it. */

import { fromUnknown, ServiceError, toEnvelope } from '../kernel/errors.ts';
import { isAbandonment } from '../kernel/lib/deadline.ts';
import type { IncomingRequest } from './incoming-request.ts';
import type { RequestHeaders } from './request-headers.ts';
import { sendJson } from './send.ts';

/** A refusal for which HTTP has a status that the contract does not have (RFC 9110, sections 15.5.6 and 15.5.16). */
export class HttpRefusal extends ServiceError {
  readonly httpStatus: 405 | 415;

  constructor(
    httpStatus: HttpRefusal['httpStatus'],
    options: { readonly detail: string; readonly headers?: Readonly<Record<string, string>> },
  ) {
    super('malformed_request', options);
    this.httpStatus = httpStatus;
  }
}

/** The status of a response where HTTP may say more than the contract. */
export const httpStatusOf = (failure: ServiceError): number =>
  failure instanceof HttpRefusal ? failure.httpStatus : failure.status;

/** Responds to a failure. */
export type Refuse = (request: IncomingRequest, failure: ServiceError) => void | Promise<void>;

const refuseWithEnvelope: Refuse = (request, failure) =>
  sendJson(request, httpStatusOf(failure), toEnvelope(failure, request.id));

/**
 * A compressed body could be many times as large as the limit of bodies.
 * @returns a refusal of a request whose body has a content coding
 */
export function codingRefusal({ 'content-encoding': coding = '' }: RequestHeaders): ServiceError | undefined {
  if (/^(?:identity)?$/i.test(coding.trim())) return undefined;
  return new HttpRefusal(415, { detail: 'Send the body without Content-Encoding.' });
}

/** Responds to whatever a route threw. A failure with a status of 500 and above is logged. */
export async function refuse(
  request: IncomingRequest,
  error: unknown,
  {
    adjust = (failure) => failure,
    refuse: respond = refuseWithEnvelope,
  }: { readonly adjust?: (failure: ServiceError) => ServiceError; readonly refuse?: Refuse | undefined } = {},
): Promise<void> {
  // The client has gone in the middle of its body: nothing of ours failed, and nobody reads the response.
  const isBrokenOff = request.raw.errored instanceof Error;
  const failure = adjust(isBrokenOff ? brokenOff() : fromUnknown(error));
  logFailure(failure, request);
  const { response, facts } = request;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  request.addHeaders(failure.headers);
  facts.errors = [failure.type];
  await respond(request, failure);
}

const brokenOff = () =>
  new ServiceError('malformed_request', { detail: 'The connection was closed before the whole body had arrived.' });

/**
 * Logs a failure with a status of 500 and above: as an error of the gateway, unless the gateway refused on purpose.
 * @param fields are added to the line
 */
export function logFailure(
  failure: ServiceError,
  request: Pick<IncomingRequest, 'log' | 'clientAborted'>,
  fields: object = {},
): void {
  const { status, type, detail, cause } = failure;
  if (status < 500 || (isAbandonment(cause) && request.clientAborted.aborted)) return;
  const { log } = request;
  // A limit, or a stop: there is nothing behind it, and nothing to correct.
  if (status === 503 && cause === undefined) log.info({ ...fields, type, detail }, 'request refused');
  else log.error({ ...fields, err: cause ?? failure, type }, 'request failed');
}
