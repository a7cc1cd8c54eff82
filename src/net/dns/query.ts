/** Asks name servers for the addresses of one name, over sockets of its own (c-ares): it waits for no thread. */
import { Resolver } from 'node:dns/promises';
import { LookupFailure, type ResolvedAddress } from './lookup.ts';

export interface Answer {
  /** At least one. */
  readonly addresses: readonly ResolvedAddress[];
  /** How long the addresses are valid. */
  readonly ttlMs: number;
}

/**
 * Asks for a name, which is not searched in any domain.
 * @param servers empty for those of the system
 * @throws LookupFailure
 */
export type Query = (name: string, servers: readonly string[], timeoutMs: number) => Promise<Answer>;

/** How long one server is waited for before the next one is asked, or the same one again. */
const serverTimeoutMs = 1_000;
const tries = 4;
/** How long addresses of one family wait for those of the other: some name servers never answer for IPv6. */
const otherFamilyMs = 250;

/** What says for certain that there is no address of a family. */
const isAbsent = (code: unknown): boolean => code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME';

export const query: Query = async (name, servers, timeoutMs) => {
  // One for each query, so that its end ends this query alone, and no server is judged by what others asked of it.
  const resolver = new Resolver({ timeout: serverTimeoutMs, tries });
  if (servers.length > 0) resolver.setServers(servers);
  let timer = setTimeout(() => resolver.cancel(), timeoutMs);
  const ask = async (family: 4 | 6) => {
    const records = await (family === 4
      ? resolver.resolve4(name, { ttl: true })
      : resolver.resolve6(name, { ttl: true }));
    clearTimeout(timer);
    timer = setTimeout(() => resolver.cancel(), Math.min(otherFamilyMs, timeoutMs));
    return records.map(({ address, ttl }) => ({ address, family, ttl }));
  };
  // IPv4 first: it works everywhere. A connection tries the families in turn.
  const results = await Promise.allSettled([ask(4), ask(6)]);
  clearTimeout(timer);
  const records = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (records.length > 0) {
    const addresses = records.map(({ address, family }) => ({ address, family }));
    return { addresses, ttlMs: 1_000 * Math.min(...records.map(({ ttl }) => ttl)) };
  }
  const isCertain = results.every((result) => result.status === 'fulfilled' || isAbsent(result.reason?.code));
  throw new LookupFailure(isCertain ? 'ENOTFOUND' : 'EAI_AGAIN', name);
};
