/**
 * The gateway's resolver. The system's (getaddrinfo) occupies one of the process's few threads for as long as a name
 * server likes: some hanging names would stop every connection and every file read. This one
 *
 * 1. takes names of the hosts file, and `localhost`, without asking;
 * 2. makes one lookup per name at a time;
 * 3. asks for the name, and per resolv.conf for the name within search domains, until a deadline;
 * 4. keeps results as long as their records say, and failures for some seconds.
 */

import { LRUCache } from 'lru-cache';
import { type Clock, hour } from '../../kernel/lib/time-units.ts';
import { type LocalNames, type Lookup, LookupFailure, type ResolvedAddress } from './lookup.ts';
import { type Answer, type Query, query as queryServers } from './query.ts';
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
