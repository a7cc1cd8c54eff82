/** Errors of each endpoint (contract, "Errors"), and substitutes for others. */
import { type EndpointName, endpointNames } from '../kernel/endpoint.ts';
import {
  type ErrorName,
  errorNames,
  errorTable,
  failureOfCommand,
  ServiceError,
  unexpectedError,
} from '../kernel/errors.ts';

const everywhere: readonly EndpointName[] = endpointNames;
const actsForAccount: readonly EndpointName[] = ['EDIT', 'POSTS', 'PUB', 'CHK'];

/** Endpoints with all types of a status, where the contract names the status as a whole. */
const endpointsOfStatus: Readonly<Record<number, readonly EndpointName[]>> = {
  400: ['WHLIST', 'WHCREATE', 'WHDEL', 'PUB', 'CHK'],
  401: everywhere,
  403: everywhere,
  404: ['EDIT', 'WHCREATE', 'WHDEL', 'PUB', 'CHK'],
  500: everywhere,
  503: everywhere,
  504: everywhere,
};

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

const isAllowed = (endpoint: EndpointName, name: ErrorName): boolean =>
  (endpointsOfType[name] ?? endpointsOfStatus[errorTable[name].status] ?? []).includes(endpoint);

/** In the order of the error table. */
export const allowedErrors = (endpoint: EndpointName): readonly ErrorName[] =>
  errorNames.filter((name) => isAllowed(endpoint, name));

/** The first one that the endpoint may respond with stands in. Without one, the failure is ours. */
const substitutes: { readonly [Name in ErrorName]?: readonly ErrorName[] } = {
  unprocessable_entity: ['invalid_parameters'],
  action_already_performed: ['unprocessable_entity'],
  invalid_recipient: ['unprocessable_entity', 'invalid_parameters'],
  user_unreachable: ['unprocessable_entity'],
  provider_unreachable: ['network_down'],
  payment_error: ['unprocessable_entity'],
  insufficient_credits: ['unprocessable_entity'],
  insufficient_job_slot: ['unprocessable_entity'],
  // Listing posts has no 404: the missing resource there is the account.
  resource_not_found: ['wrong_account'],
  invalid_resource_identifier: ['unprocessable_entity'],
};

/** With a type that the endpoint has. */
export function toAllowedError(endpoint: EndpointName, failure: ServiceError): ServiceError {
  const { errorName, detail, issues, cause, headers, outcomeUnknown } = failure;
  const name = isAllowed(endpoint, errorName) ? errorName : substituteOf(endpoint, errorName);
  if (name === errorName) return failure;
  if (name === 'unexpected_error') {
    return outcomeUnknown ? failureOfCommand(unexpectedError(failure)) : unexpectedError(failure);
  }
  return new ServiceError(name, { detail, issues, cause, headers, outcomeUnknown });
}

function substituteOf(endpoint: EndpointName, name: ErrorName): ErrorName {
  // An endpoint without a 400 has one type for all bad input.
  const candidates: readonly ErrorName[] =
    errorTable[name].status === 400 ? ['unprocessable_entity'] : (substitutes[name] ?? []);
  // `wrong_account` can stand for a 404 only where the request names an account.
  const namesAccount = actsForAccount.includes(endpoint);
  return (
    candidates.find((each) => isAllowed(endpoint, each) && (each !== 'wrong_account' || namesAccount)) ??
    'unexpected_error'
  );
}
