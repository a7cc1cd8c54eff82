import { z } from 'zod';
import { requireScope } from '../../kernel/caller.ts';
import { stringify } from '../../kernel/lib/json-text.ts';
import { type AnyOperation, performOnceForKey } from '../../kernel/operation.ts';
import { parse } from '../../kernel/parse.ts';
import { idempotencyKey } from '../../kernel/validation.ts';
import type { GraphQLContext } from '../graphql-context.ts';

/** Options of the input field, next to its name `idempotencyKey`. */
export const idempotencyKeyOfCreation = {
  description: 'Key for safe retries within 24 hours, up to 255 characters.',
} as const;

/** Options of the result's field `isRepeated`. */
export const repeatedOfCreation = {
  description: 'Whether an earlier request with the idempotency key created it.',
} as const;

/** What a command returned, now or at its first request. */
interface Performed<Output> {
  readonly output: Output;
  readonly repeated: boolean;
}

const keyOfInput = z.strictObject({ idempotency_key: idempotencyKey() });

/** @throws ServiceError with an issue for an invalid key */
export const readKey = (sent: unknown): string | undefined =>
  sent === undefined ? undefined : parse(keyOfInput, { idempotency_key: sent }).idempotency_key;

interface Once<Output> {
  readonly operation: AnyOperation<Output>;
  /** Name of the mutation: each has keys of its own. */
  readonly name: string;
  readonly key: string | undefined;
  readonly request: object;
}

/** Without stored responses, the service stores them. @throws as performOnceForKey */
export async function performOnce<Output extends object>(
  { operation, name, key, request }: Once<Output>,
  context: GraphQLContext,
): Promise<Performed<Output>> {
  requireScope(context.caller, operation.scope);
  const { ports, storedResponses } = context;
  if (key === undefined) return { output: await operation.perform(ports, context, request), repeated: false };
  if (storedResponses === null) {
    let repeated = false;
    const onReplayed = () => {
      repeated = true;
    };
    const output = await operation.perform(ports, { ...context, idempotency: { key, onReplayed } }, request);
    return { output, repeated };
  }
  const command = { operation, endpoint: name, key, request, print: (result: Output) => stringify(result) };
  const { body, replayed } = await performOnceForKey(storedResponses, command, ports, context);
  return { output: JSON.parse(body), repeated: replayed };
}
