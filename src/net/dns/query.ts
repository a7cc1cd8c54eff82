/** Asks name servers for one name over sockets of its own (c-ares), which need no thread. */
import { Resolver } from 'node:dns/promises';
import { LookupFailure, type ResolvedAddress } from './lookup.ts';

export interface Answer {
  readonly addresses: readonly ResolvedAddress[];
  readonly ttlMs: number;
}

/** @param name not searched in any domain. @param servers empty for those of the system. @throws LookupFailure */
export type Query = (name: string, servers: readonly string[], timeoutMs: number) => Promise<Answer>;

const serverTimeoutMs = 1_000;
const triesPerServer = 4;
/** Wait of one family for the other: some name servers never answer for IPv6. */
const otherFamilyMs = 250;

const isAbsent = (code: unknown): boolean => code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME';

export const query: Query = async (name, servers, timeoutMs) => {
  // One per query: its end ends no other query, and no server is judged by other queries.
  const resolver = new Resolver({ timeout: serverTimeoutMs, tries: triesPerServer });
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
