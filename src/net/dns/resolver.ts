/**
 * The resolver of the gateway. The system's own (getaddrinfo) waits in one of the few threads of the process, for as long
 * as a name server likes: some names that hang would stop every connection, and every read of a file. This one
 *
 *   1. takes names of the hosts file, and `localhost`, without asking;
 *   2. has one lookup under way for a name, however many connections wait for it;
 *   3. asks for the name, and where resolv.conf says so for the name within its search domains, until a deadline;
 *   4. keeps what was found as long as its records say, and a failure for some seconds.
 */
import { LRUCache } from 'lru-cache';
import { localAddresses, parseHostsFile } from './hosts-file.ts';
import { type Lookup, LookupFailure, type ResolvedAddress } from './lookup.ts';
import { type Answer, type Query, query as queryServers } from './query.ts';
import { namesToTry, parseResolverSettings } from './resolver-settings.ts';
import { watchedFile } from './watched-file.ts';

export interface ResolverOptions {
  /** Addresses of name servers, with `:<port>` for another than 53. Empty for those of resolv.conf. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly resolvConf?: string;
  readonly query?: Query;
  /** How long a lookup may take, over all servers and search domains. */
  readonly timeoutMs?: number;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

/** Names that are kept. */
const maxNames = 10_000;
/** Records that claim to be valid for longer are asked for again after this time. */
const maxTtlMs = 60 * 60 * 1000;
/** How long it is remembered that a name has no address, or that it could not be found out. */
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
  const known = new LRUCache<string, Known>({ max: maxNames });
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
  return async (text) => {
    const hostname = text.toLowerCase();
    const local = localAddresses(hosts(), hostname.replace(/\.$/, ''));
    if (local !== undefined) return local;
    const found = known.get(hostname);
    if (found !== undefined && clock() < found.until) {
      if (found.result instanceof LookupFailure) throw found.result;
      return found.result;
    }
    let lookup = underWay.get(hostname);
    if (lookup === undefined) {
      lookup = resolve(hostname);
      underWay.set(hostname, lookup);
    }
    return lookup;
  };
}
