/**
 * Which addresses the gateway may connect to for a caller's URL. Only public unicast addresses are allowed, so that a
 * webhook cannot reach services that only this machine or its network can reach.
 */
import ipaddr from 'ipaddr.js';

/** A block of addresses, such as 10.0.0.0/8. */
export type AddressBlock = ReturnType<typeof ipaddr.parseCIDR>;

/** Whether the gateway may connect to an IP address, given as text without brackets. */
export type AddressRule = (address: string) => boolean;

const block = (text: string): AddressBlock => ipaddr.parseCIDR(text);

/**
 * The only public unicast block of IPv6. Loopback, link-local and unique-local addresses lie outside it, and so does
 * every embedding of IPv4 (mapped, compatible, translated, NAT64).
 */
const publicIPv6 = block('2000::/3');

/** Refused in addition to the special-purpose blocks of the IANA registries. */
const refused = [
  // The platform address of Azure: it serves metadata from the public address space.
  block('168.63.129.16/32'),
  // RFC 9637: documentation.
  block('3fff::/20'),
];

/**
 * The rule of a deployment.
 * @param allowed blocks that are allowed although they are not public: an intranet, or loopback in tests
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
  // The library types each kind of address by itself: `match` of one kind accepts only that kind, which is checked here.
  return address.kind() === network.kind() && address.match(network as never, bits);
}

/** Whether an address stands in one of the blocks. IPv4 within IPv6 is IPv4. */
export const inBlocks =
  (blocks: readonly AddressBlock[]): AddressRule =>
  (text) =>
    ipaddr.isValid(text) && blocks.some((each) => within(ipaddr.process(text), each));

/**
 * The client that an address stands for, as text to count by: one client has a whole /64 of IPv6 addresses. What is no
 * address, which a proxy may pass on, stands for itself.
 */
export function clientOf(text: string): string {
  if (!ipaddr.isValid(text)) return text.slice(0, 64);
  const address = ipaddr.process(text);
  return address.kind() === 'ipv4' ? address.toString() : `${hexOf(address.toByteArray().slice(0, 8))}/64`;
}

const hexOf = (bytes: readonly number[]): string => Buffer.from(bytes).toString('hex');

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
      // The parser also accepts 127.1 and 0x7f000001. In an allow list those are mistakes.
      if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return block(`${entry}/32`);
      if (ipaddr.IPv6.isValid(entry)) return block(`${entry}/128`);
      throw new Error(`must be addresses or blocks such as 10.0.0.0/8, with commas between, but has "${entry}"`);
    });
}

/**
 * The IP address in the host of a URL; null for a host name. The URL parser has already normalised every notation
 * (decimal, hex, octal, short, full-width).
 */
export function literalAddress({ hostname }: { readonly hostname: string }): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}

/** RFC 6761, section 6.3: these names always mean this machine, whatever a resolver says. */
const isLocalName = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname);

/**
 * Whether the text of a URL alone rules it out. The addresses that a host name resolves to are checked when the gateway
 * connects.
 */
export function isRefusedTarget(url: URL, allows: AddressRule): boolean {
  const literal = literalAddress(url);
  if (literal !== null) return !allows(literal);
  return isLocalName(url.hostname) && !allows('127.0.0.1') && !allows('::1');
}
