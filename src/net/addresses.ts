/** Only public unicast addresses are allowed for callers' URLs: a webhook must not reach services of our network. */
import ipaddr from 'ipaddr.js';
import { commaList } from '../kernel/lib/comma-list.ts';

type AddressBlock = ReturnType<typeof ipaddr.parseCIDR>;

/** @param address as text without brackets */
export type AddressRule = (address: string) => boolean;

const block = (text: string): AddressBlock => ipaddr.parseCIDR(text);

/** IPv6's only public unicast block: loopback, link-local, unique-local and embedded IPv4 lie outside. */
const publicIPv6 = block('2000::/3');

/** In addition to the special-purpose blocks of the IANA registries. */
const refusedBlocks = [
  // Azure's platform address serves metadata from the public address space.
  block('168.63.129.16/32'),
  // RFC 9637: documentation.
  block('3fff::/20'),
];

/** @param allowed blocks that are not public: an intranet, or loopback in tests */
export function addressRule(allowed: readonly AddressBlock[]): AddressRule {
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    if (allowed.some((each) => isInBlock(address, each))) return true;
    if (refusedBlocks.some((each) => isInBlock(address, each))) return false;
    return address.range() === 'unicast' && (address.kind() === 'ipv4' || isInBlock(address, publicIPv6));
  };
}

function isInBlock(address: ReturnType<typeof ipaddr.parse>, [network, bits]: AddressBlock): boolean {
  // `match` accepts only the kind of its address, which is checked here.
  return address.kind() === network.kind() && address.match(network as never, bits);
}

/** IPv4 within IPv6 is IPv4. */
export const inBlocks =
  (blocks: readonly AddressBlock[]): AddressRule =>
  (text) =>
    ipaddr.isValid(text) && blocks.some((each) => isInBlock(ipaddr.process(text), each));

/** One client has a whole /64 of IPv6. Text that is no address, which a proxy may pass on, stands for itself. */
export function clientOf(text: string): string {
  if (!ipaddr.isValid(text)) return text.slice(0, 64);
  const address = ipaddr.process(text);
  return address.kind() === 'ipv4' ? address.toString() : `${hexOf(address.toByteArray().slice(0, 8))}/64`;
}

const hexOf = (bytes: readonly number[]): string => Buffer.from(bytes).toString('hex');

/** Reads comma-separated blocks and addresses. @throws Error that says what the value must be */
export function readBlocks(value: string): readonly AddressBlock[] {
  return commaList(value).map((entry) => {
    if (ipaddr.isValidCIDR(entry)) return block(entry);
    // The parser also accepts 127.1 and 0x7f000001: mistakes in an allow list.
    if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return block(`${entry}/32`);
    if (ipaddr.IPv6.isValid(entry)) return block(`${entry}/128`);
    throw new Error(`must be addresses or blocks such as 10.0.0.0/8, with commas between, but has "${entry}"`);
  });
}

/** Null for a name. The URL parser has normalised every notation (decimal, hex, short, …). */
export function literalAddress({ hostname }: { readonly hostname: string }): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}

/** RFC 6761, section 6.3: always this machine, whatever a resolver says. */
const isLocalName = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname);

/** Whether a URL's text alone rules it out. Resolved addresses are checked when connecting. */
export function isRefusedTarget(url: URL, allows: AddressRule): boolean {
  const literal = literalAddress(url);
  if (literal !== null) return !allows(literal);
  return isLocalName(url.hostname) && !allows('127.0.0.1') && !allows('::1');
}
