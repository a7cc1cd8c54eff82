/** Networks of the program that creates the gateway. Others have written them: what they return and throw is checked. */
import { inspect } from 'node:util';
import { z } from 'zod';
import { accountTypes } from '../auth/account.ts';
import { jobCheckpointOpenedShape, jobPublishedShape } from '../capabilities/jobs/shapes.ts';
import { ConfigError } from '../kernel/config-error.ts';
import { errorNames, ServiceError, SessionFailure } from '../kernel/errors.ts';
import { issueCodes } from '../kernel/issue-codes.ts';
import { isObject, keysOf } from '../kernel/lib/objects.ts';
import { redactor } from '../kernel/secrets/redact.ts';
import type { JobProvider, PostProvider, PostQuery, ProviderSession, Providers } from './provider.ts';

/** Networks by account type, each in the place of the simulated one, if there is any. */
export type OwnNetworks = Partial<Providers>;

/** Bytes of a network's cursor or challenge as JSON: a cursor must fit into those of the faces, which seal it. */
export const maxNetworkText = 8_192;

/** Characters of an answer as JSON. */
const maxAnswerLength = 16_777_216;

const networkText = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(JSON.stringify(text)) <= maxNetworkText, 'is too long');

const step = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('published'), state: jobPublishedShape.shape.job_state }),
  z.object({ kind: z.literal('checkpoint'), type: jobCheckpointOpenedShape.shape.type, challenge: networkText }),
]);

/** A post may be odd: it costs its place in a list, and not the list. */
const pageOf = ({ limit }: Partial<PostQuery>) =>
  z.object({ items: z.array(z.custom(isObject)).max(limit ?? 0), cursor: networkText.nullable() });

/** What each method returns. The second argument is that of the method. */
type Results<Network> = Readonly<Record<keyof Network, (argument: Partial<PostQuery>) => z.ZodType>>;

export const postResults: Results<PostProvider> = { listPosts: pageOf };

export const jobResults: Results<JobProvider> = {
  checkSession: () => z.unknown(),
  editPosting: () => z.unknown(),
  publish: () => step,
  findPublished: () => jobPublishedShape.shape.job_state.nullable(),
  solveCheckpoint: () => step,
};

/** @throws ConfigError for a key that is no account type, and for a method that is missing: names both */
export function ownNetworks(networks: OwnNetworks): OwnNetworks {
  if (!isObject(networks)) throw new ConfigError('networks must be an object of networks by account type');
  const own = Object.entries(networks).map(([type, network]) => {
    if (!accountTypes.some((known) => known === type))
      throw new ConfigError(`networks.${type} is no account type: the types are ${accountTypes.join(', ')}`);
    return [
      type,
      checked(`networks.${type}`, network, type === 'PNET' ? { ...postResults, ...jobResults } : postResults),
    ];
  });
  return Object.fromEntries(own);
}

type Method = (session: ProviderSession, ...rest: readonly unknown[]) => Promise<unknown>;

function checked(name: string, network: unknown, results: Results<object>): object {
  const methods = Object.entries<Results<PostProvider>['listPosts']>(results).map(([method, resultOf]) => {
    const call = typeof network === 'object' && network !== null ? Reflect.get(network, method) : undefined;
    if (typeof call !== 'function') throw new ConfigError(`${name} has no method ${method}`);
    const checkedCall: Method = async (session, argument, ...rest) => {
      try {
        const returned = await Reflect.apply(call, network, [session, argument, ...rest]);
        const asked = isObject(argument) ? argument : {};
        // Before they are copied: there may be any number.
        if (isObject(returned) && Array.isArray(returned.items)) requireFew(returned.items.length, Number(asked.limit));
        // A copy: a network could share its objects between accounts, and have what is no JSON in them.
        const text = returned === undefined ? undefined : JSON.stringify(returned);
        requireFew(text?.length ?? 0, maxAnswerLength);
        return resultOf(asked).parse(text && JSON.parse(text));
      } catch (error) {
        throw failureOf(error, session);
      }
    };
    return [method, checkedCall];
  });
  return Object.fromEntries(methods);
}

function requireFew(count: number, most: number): void {
  if (count > most) throw new RangeError(`There are ${count} where ${most} are the most`);
}

/** Characters of a text of a failure. */
const maxDetail = 2_000;

/** Characters of a failure in the log. */
const maxPrinted = 20_000;

const detail = z.string().max(maxDetail);

/** What callers may get of a failure of the network's own. */
const failureShape = z.object({
  errorName: z.enum(errorNames),
  detail: detail.optional(),
  issues: z
    .array(
      z.object({
        path: z.array(z.union([z.string().max(maxDetail), z.number()])).max(20),
        code: z.enum(keysOf(issueCodes)),
        limit: z.number().optional(),
        message: detail,
      }),
    )
    .max(100),
  outcomeUnknown: z.boolean().optional(),
  headers: z
    .object({ 'retry-after': z.string().regex(/^\d{1,5}$/) })
    .nullable()
    .catch(null),
});

/**
 * A failure of the network's own, made anew of what was checked: an adapter may have changed the one that it throws. Any other,
 * and one that tells the token, is `provider_error`; the log has its cause.
 */
function failureOf(error: unknown, { token }: ProviderSession): ServiceError {
  const redact = redactor([token]);
  const cause = new Error(redact(printed(error).slice(0, maxPrinted)));
  try {
    if (error instanceof ServiceError) {
      const { errorName, ...told } = failureShape.parse(error);
      const text = JSON.stringify(told);
      const Failure = error instanceof SessionFailure ? SessionFailure : ServiceError;
      if (redact(text) === text) return new Failure(errorName, { ...told, cause });
    }
  } catch {
    // A failure that cannot be read is one of the network.
  }
  return new ServiceError('provider_error', { detail: 'The network failed. Try again later.', cause });
}

function printed(error: unknown): string {
  try {
    return inspect(error, { customInspect: false });
  } catch {
    return 'An error that cannot be printed';
  }
}
