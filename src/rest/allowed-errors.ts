/** Which errors an endpoint may answer (contract, "Errors"), and what becomes of one that it may not. */
import { type EndpointName, endpointNames } from '../endpoint.ts';
import { type ErrorName, errorNames, errorTable, ServiceError, unexpectedError } from '../errors.ts';

const everywhere: readonly EndpointName[] = endpointNames;
const actsForAccount: readonly EndpointName[] = ['EDIT', 'POSTS', 'PUB', 'CHK'];

/** The endpoints that answer all types of a status, where the contract says it for the status as a whole. */
const endpointsOfStatus: Readonly<Record<number, readonly EndpointName[]>> = {
  400: ['WHLIST', 'WHCREATE', 'WHDEL', 'PUB', 'CHK'],
  401: everywhere,
  403: everywhere,
  404: ['EDIT', 'WHCREATE', 'WHDEL', 'PUB', 'CHK'],
  500: everywhere,
  503: everywhere,
  504: everywhere,
};

/** The endpoints of each 422 type. */
const endpointsOfType: { readonly [Name in ErrorName]?: readonly EndpointName[] } = {
  invalid_account: actsForAccount,
  unprocessable_entity: actsForAccount,
  account_configuration_error: actsForAccount,
  action_already_performed: ['EDIT', 'PUB', 'CHK'],
  payment_error: ['PUB'],
  insufficient_credits: ['PUB'],
  insufficient_job_slot: ['PUB'],
  invalid_recipient: ['POSTS'],
  user_unreachable: ['POSTS'],
  provider_unreachable: ['POSTS'],
};

/** The error types that an endpoint may answer. */
export const allowedErrors = Object.fromEntries(
  endpointNames.map((endpoint) => [
    endpoint,
    new Set(
      errorNames.filter((name) =>
        (endpointsOfType[name] ?? endpointsOfStatus[errorTable[name].status])?.includes(endpoint),
      ),
    ),
  ]),
) as unknown as Readonly<Record<EndpointName, ReadonlySet<ErrorName>>>;

/**
 * What stands for a type that the endpoint may not answer: the first of these that it may. A type without a row, and one
 * whose row has nothing for the endpoint, is a failure of ours.
 */
const substitutes: { readonly [Name in ErrorName]?: readonly ErrorName[] } = {
  unprocessable_entity: ['invalid_parameters'],
  action_already_performed: ['unprocessable_entity'],
  invalid_recipient: ['unprocessable_entity', 'invalid_parameters'],
  user_unreachable: ['unprocessable_entity'],
  provider_unreachable: ['network_down'],
  payment_error: ['unprocessable_entity'],
  insufficient_credits: ['unprocessable_entity'],
  insufficient_job_slot: ['unprocessable_entity'],
  // Listing posts knows no 404: what cannot be found there is the account.
  resource_not_found: ['wrong_account'],
  invalid_resource_identifier: ['unprocessable_entity'],
};

/** The failure as the endpoint may answer it: of a type it has, with the status that the contract gives the type. */
export function answerable(endpoint: EndpointName, failure: ServiceError): ServiceError {
  const { errorName, detail, issues, cause } = failure;
  const allowed = allowedErrors[endpoint];
  const name = allowed.has(errorName) ? errorName : substituteOf(errorName, allowed);
  if (name === errorName && failure.status === errorTable[name].status) return failure;
  if (name === 'unexpected_error') {
    return unexpectedError(failure);
  }
  return new ServiceError(name, { ...(detail === undefined ? {} : { detail }), issues, cause });
}

function substituteOf(name: ErrorName, allowed: ReadonlySet<ErrorName>): ErrorName {
  // Where bad input has no 400, it has one type for all.
  const candidates = errorTable[name].status === 400 ? (['unprocessable_entity'] as const) : (substitutes[name] ?? []);
  // `wrong_account` would be allowed everywhere, but stands for a 404 only where an account is named.
  const accountNamed = allowed.has('invalid_account');
  return (
    candidates.find((each) => allowed.has(each) && (each !== 'wrong_account' || accountNamed)) ?? 'unexpected_error'
  );
}
