/** Files of the system that say how names are resolved: hosts(5) and resolv.conf(5). */

import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Clock } from '../../kernel/lib/time-units.ts';
import type { ResolvedAddress } from './lookup.ts';

type HostsFile = ReadonlyMap<string, readonly ResolvedAddress[]>;

/** A name in several lines has the addresses of all of them. */
export function parseHostsFile(text: string): HostsFile {
  const hosts = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }]);
    }
  }
  return hosts;
}

const loopback: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** @returns undefined if a name server must be asked */
export function localAddresses(hosts: HostsFile, hostname: string): readonly ResolvedAddress[] | undefined {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  // RFC 6761, section 6.3: no name server is asked.
  return hosts.get(name) ?? (/(^|\.)localhost$/.test(name) ? loopback : undefined);
}

interface ResolverSettings {
  /** Addresses, with `:<port>` for another than 53. Empty for those that the system has otherwise. */
  readonly servers: readonly string[];
  readonly search: readonly string[];
  /** A name with at least so many dots is first tried as it is. */
  readonly dots: number;
}

export function parseResolverSettings(text: string): ResolverSettings {
  const servers: string[] = [];
  let search: string[] = [];
  let dots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    const [first = ''] = values;
    if (keyword === 'nameserver' && isIP(first) !== 0) servers.push(first);
    // The last line counts.
    if (keyword === 'search' || keyword === 'domain') search = values.filter((domain) => domain !== '.');
    for (const option of keyword === 'options' ? values : []) dots = Number(/^ndots:(\d+)$/.exec(option)?.[1] ?? dots);
  }
  return { servers, search, dots };
}

/** In order, until one exists. A dot at the end marks a complete name. */
export function namesToTry(hostname: string, { search, dots }: ResolverSettings): readonly string[] {
  if (hostname.endsWith('.')) return [hostname.slice(0, -1)];
  const searched = search.map((domain) => `${hostname}.${domain.replace(/\.$/, '')}`);
  return hostname.split('.').length > dots ? [hostname, ...searched] : [...searched, hostname];
}

/** Between two looks at the file. */
const freshMs = 1_000;

/**
 * Reads a small file again after it has changed; an unreadable one is empty. Synchronous, as all threads of
 * asynchronous reads may be waiting for the system's resolver.
 */
export function watchedFile<Parsed>(path: string, parse: (text: string) => Parsed, clock: Clock): () => Parsed {
  let parsed = parse('');
  let version = '';
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock() - lookedAt < freshMs) return parsed;
    lookedAt = clock();
    try {
      const { ino, mtimeMs, size } = statSync(path);
      const found = `${ino} ${mtimeMs} ${size}`;
      if (found !== version) parsed = parse(readFileSync(path, 'utf8'));
      version = found;
    } catch {
      [parsed, version] = [parse(''), ''];
    }
    return parsed;
  };
}
