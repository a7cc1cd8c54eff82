/** How this machine resolves names: the name servers, and the domains in which short names are searched (resolv.conf(5)). */
import { isIP } from 'node:net';

export interface ResolverSettings {
  /** Addresses, with `:<port>` for another than 53. Empty for those that the system has otherwise. */
  readonly servers: readonly string[];
  /** The domains in which a name is searched. */
  readonly search: readonly string[];
  /** A name with at least so many dots is first tried as it is. */
  readonly dots: number;
}

/** Reads the text of a resolv.conf. */
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
    // The last one counts.
    if (keyword === 'search' || keyword === 'domain') search = values.filter((domain) => domain !== '.');
    for (const option of keyword === 'options' ? values : []) dots = Number(/^ndots:(\d+)$/.exec(option)?.[1] ?? dots);
  }
  return { servers, search, dots };
}

/** The names to ask for, in this order, until one of them exists. A dot at the end says that a name is complete. */
export function namesToTry(hostname: string, { search, dots }: ResolverSettings): readonly string[] {
  if (hostname.endsWith('.')) return [hostname.slice(0, -1)];
  const searched = search.map((domain) => `${hostname}.${domain.replace(/\.$/, '')}`);
  return hostname.split('.').length > dots ? [hostname, ...searched] : [...searched, hostname];
}
