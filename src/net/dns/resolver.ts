/**
 * The gateway's resolver. The system's (getaddrinfo) occupies one of the process's few threads for as long as a name
 * server likes: some hanging names would stop every connection and every file read. This one
 *
 * 1. takes names of the hosts file, and `localhost`, without asking;
 * 2. makes one lookup per name at a time;
 * 3. asks for the name, and per resolv.conf for the name within search domains, until a deadline;
 * 4. keeps results as long as their records say, and failures for some seconds.
 */

import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { type Clock, hour } from '../../kernel/lib/time-units.ts';
import { type LocalNames, type Lookup, LookupFailure, type ResolvedAddress } from './lookup.ts';
import { localAddresses, namesToTry, parseHostsFile, parseResolverSettings, watchedFile } from './system-files.ts';

interface ResolverOptions {
  /** Addresses, with `:<port>` for another than 53. Empty for those of resolv.conf. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly resolvConf?: string;
  readonly query?: Query;
  /** Per lookup, over all servers and search domains. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const maxKnownNames = 10_000;
/** Longer lifetimes of records are cut. */
const maxTtlMs = hour;
const failureTtlMs = 5_000;

interface Known {
  readonly result: readonly ResolvedAddress[] | LookupFailure;
  readonly until: number;
}

export function createResolver({
  servers = [],
  hostsFile = '/etc/hosts',
  resolvConf = '/etc/resolv.conf',
  query = queryServers,
  timeoutMs = 5_000,
  clock = () => performance.now(),
}: ResolverOptions = {}): Lookup {
  const hosts = watchedFile(hostsFile, parseHostsFile, clock);
  const settings = watchedFile(resolvConf, parseResolverSettings, clock);
  const known = new LRUCache<string, Known>({ max: maxKnownNames });
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();

  const search = async (hostname: string): Promise<Answer> => {
    const end = clock() + timeoutMs;
    const asked = servers.length > 0 ? servers : settings().servers;
    let code: LookupFailure['code'] = 'ENOTFOUND';
    for (const name of namesToTry(hostname, settings())) {
      const left = end - clock();
      if (left <= 0) throw new LookupFailure('EAI_AGAIN', hostname);
      try {
        return await query(name, asked, left);
      } catch (error) {
        if (!(error instanceof LookupFailure)) throw error;
        if (error.code === 'EAI_AGAIN') code = 'EAI_AGAIN';
      }
    }
    throw new LookupFailure(code, hostname);
  };
  const resolve = async (hostname: string): Promise<readonly ResolvedAddress[]> => {
    try {
      const { addresses, ttlMs } = await search(hostname);
      known.set(hostname, { result: addresses, until: clock() + Math.min(ttlMs, maxTtlMs) });
      return addresses;
    } catch (error) {
      if (error instanceof LookupFailure) known.set(hostname, { result: error, until: clock() + failureTtlMs });
      throw error;
    } finally {
      underWay.delete(hostname);
    }
  };
  const local: LocalNames = (hostname) => localAddresses(hosts(), hostname);
  const lookup: Lookup = async (text) => {
    const hostname = text.toLowerCase();
    const here = local(hostname);
    if (here !== undefined) return here;
    const found = known.get(hostname);
    if (found !== undefined && clock() < found.until) {
      if (found.result instanceof LookupFailure) throw found.result;
      return found.result;
    }
    const asked = underWay.get(hostname) ?? resolve(hostname);
    underWay.set(hostname, asked);
    return asked;
  };
  return Object.assign(lookup, { local });
}

interface Answer {
  readonly addresses: readonly ResolvedAddress[];
  readonly ttlMs: number;
}

/** @param name not searched in any domain. @param servers empty for those of the system. @throws LookupFailure */
type Query = (name: string, servers: readonly string[], timeoutMs: number) => Promise<Answer>;

const serverTimeoutMs = 1_000;
const triesPerServer = 4;
/** Wait of one family for the other: some name servers never answer for IPv6. */
const otherFamilyMs = 250;

const isAbsent = (code: unknown): boolean => code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME';

/** Over sockets of its own (c-ares), which need no thread. */
const queryServers: Query = async (name, servers, timeoutMs) => {
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
