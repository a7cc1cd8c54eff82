/** What the checks of both interfaces have in common. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { EndpointName } from '../../kernel/endpoint.ts';
import { type ErrorName, ServiceError } from '../../kernel/errors.ts';
import { within } from '../../kernel/lib/abort-signal.ts';
import { isObject } from '../../kernel/lib/objects.ts';
import { redactor } from '../../kernel/secrets/redact.ts';
import { allowedErrors } from '../../rest/allowed-errors.ts';
import type { ProviderSession } from '../provider.ts';

/** For any runner: `for (const { name, run } of checks) test(name, run)`. */
export interface Check {
  readonly name: string;
  /** Rejects with what the adapter does wrong: an AssertionError, the ZodError of a shape, or what the adapter throws. */
  readonly run: () => Promise<void>;
}

/** An account of the network, and a token that the network refuses. */
export interface Access {
  readonly session: ProviderSession;
  readonly wrongToken: string;
}

export const never = new AbortController().signal;

/** Milliseconds in which an aborted call ends. */
const abortMs = 1_000;

/** The failure of a call. @throws AssertionError unless it is one that the contract has for the endpoint, and tells no token */
export async function failureOf(endpoint: EndpointName, token: string, call: Promise<unknown>): Promise<ServiceError> {
  const error = await call.then(
    () => assert.fail('The call must fail, and succeeded'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ServiceError))
    assert.fail(`Every failure must be a ServiceError, and this is ${inspect(error)}`);
  const told = inspect(error);
  assert.equal(redactor([token])(told), told, 'A failure must not tell the token');
  const names: readonly ErrorName[] = allowedErrors(endpoint);
  assert.ok(names.includes(error.errorName), `${error.errorName} must be one of ${names.join(', ')}`);
  return error;
}

/**
 * A wrong token fails for another account, and for the same one after a call that succeeded.
 * @param call with a session
 */
export async function requireRefusal(
  endpoint: EndpointName,
  { session, wrongToken }: Access,
  call: (session: ProviderSession) => Promise<unknown>,
): Promise<void> {
  for (const accountId of [session.accountId, `${session.accountId}-2`]) {
    const error = await failureOf(endpoint, wrongToken, call({ ...session, accountId, token: wrongToken }));
    assert.equal(
      error.family,
      'account',
      `The error of a wrong token must be one of the account, not ${error.errorName}`,
    );
  }
}

/** A call with an aborted signal fails, and one that is aborted under way ends soon, in whatever way. */
export async function requireAbortable(call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const late = 'A call must end within a second when its signal aborts';
  const error = await within(abortMs, call(AbortSignal.abort()), late).then(
    () => assert.fail('A call must fail when its signal has aborted'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof Error && error.message === late) assert.fail(late);
  const caller = new AbortController();
  const underWay = call(caller.signal).catch(() => undefined);
  caller.abort();
  await within(abortMs, underWay, late);
}

/** Changes every value in an object, at every depth. @throws AssertionError for one that cannot be changed */
export function overwrite(value: object): void {
  for (const [key, inner] of Object.entries(value)) {
    if (isObject(inner) || Array.isArray(inner)) overwrite(inner);
    else assert.ok(Reflect.set(value, key, 'overwritten'), 'Returned objects must not be frozen');
  }
}
