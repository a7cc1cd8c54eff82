/**
 * Which addresses requests to callers' URLs may go to. Everything that is not a public unicast address is refused, so
 * that a webhook cannot be pointed at what only this machine or its network can reach.
 */
import ipaddr from 'ipaddr.js';

/** A block of addresses, such as 10.0.0.0/8. */
export type AddressBlock = ReturnType<typeof ipaddr.parseCIDR>;

/** Whether an IP address (as text, without brackets) may be connected to. */
export type AddressRule = (address: string) => boolean;

const block = (text: string): AddressBlock => ipaddr.parseCIDR(text);

/**
 * Of the IPv6 space only this is public unicast: IPv4 in any dress (mapped, compatible, translated, NAT64), loopback,
 * link-local and unique-local addresses all lie outside.
 */
const publicIPv6 = block('2000::/3');

/** Refused beside what the registries set aside. */
const refused = [
  // The platform address of one cloud: it answers like a metadata service, and is in public space.
  block('168.63.129.16/32'),
  // RFC 9637: documentation.
  block('3fff::/20'),
];

/**
 * The rule of a deployment.
 * @param allowed blocks that are let through in spite of what they are: an intranet, or loopback in tests
 */
export function addressRule(allowed: readonly AddressBlock[]): AddressRule {
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    if (allowed.some((each) => within(address, each))) return true;
    if (refused.some((each) => within(address, each))) return false;
    return address.range() === 'unicast' && (address.kind() === 'ipv4' || within(address, publicIPv6));
  };
}

function within(address: ReturnType<typeof ipaddr.parse>, [network, bits]: AddressBlock): boolean {
  return address.kind() === network.kind() && address.match(network as never, bits);
}

/**
 * Reads a comma-separated list of blocks and single addresses.
 * @throws an Error whose message says what the value must be
 */
export function readBlocks(value: string): readonly AddressBlock[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      if (ipaddr.isValidCIDR(entry)) return block(entry);
      // The parser alone would take 127.1 and 0x7f000001 too; in a list of what to allow nobody means to write those.
      if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return block(`${entry}/32`);
      if (ipaddr.IPv6.isValid(entry)) return block(`${entry}/128`);
      throw new Error(`must be addresses or blocks such as 10.0.0.0/8, with commas between, but has "${entry}"`);
    });
}

/**
 * The IP address that stands in a URL in place of a name; null where a name stands there. The URL parser has brought
 * every notation (decimal, hex, octal, short, full-width) into this one.
 */
export function literalAddress({ hostname }: { readonly hostname: string }): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}

/** RFC 6761: these names are this machine, whatever a resolver says. */
const isLocalName = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname);

/**
 * Whether a URL shows by itself that it must not be connected to. What its name leads to is found out, and checked,
 * when it is connected to.
 */
export function isRefusedTarget(url: URL, allows: AddressRule): boolean {
  const literal = literalAddress(url);
  if (literal !== null) return !allows(literal);
  return isLocalName(url.hostname) && !allows('127.0.0.1') && !allows('::1');
}
