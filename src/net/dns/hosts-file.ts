/** The names that a machine knows by itself: those of its hosts file (hosts(5)), and `localhost`. */
import { isIP } from 'node:net';
import type { ResolvedAddress } from './lookup.ts';

export type HostsFile = ReadonlyMap<string, readonly ResolvedAddress[]>;

/** Reads the text of a hosts file. A name that stands in several lines has the addresses of all of them. */
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

/**
 * The addresses that need no name server.
 * @param name in lower case, without a dot at its end
 */
export function localAddresses(hosts: HostsFile, name: string): readonly ResolvedAddress[] | undefined {
  // RFC 6761, section 6.3: no name server is asked for a name that always means this machine.
  return hosts.get(name) ?? (/(^|\.)localhost$/.test(name) ? loopback : undefined);
}
