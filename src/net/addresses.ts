/** Only public unicast addresses are allowed for callers' URLs: a webhook must not reach services of our network. */
import ipaddr from 'ipaddr.js';
import { commaList } from '../kernel/lib/comma-list.ts';
import type { LocalNames, ResolvedAddress } from './dns/lookup.ts';
import { localAddresses, parseHostsFile } from './dns/system-files.ts';

type Address = ReturnType<typeof ipaddr.parse>;
type AddressBlock = ReturnType<typeof ipaddr.parseCIDR>;

/** @param address as text without brackets */
export type AddressRule = (address: string) => boolean;

const block = (text: string): AddressBlock => ipaddr.parseCIDR(text);

/** IPv6's only public unicast block: loopback, link-local and unique-local lie outside. */
const publicIPv6 = block('2000::/3');

/** Addresses of IPv6 that lead to one of IPv4, and where that begins among their bytes. */
const translations = [
  // RFC 4291, section 2.5.5.2: mapped.
  { within: block('::ffff:0:0/96'), at: 12 },
  // RFC 6052, section 2.1: NAT64, as name servers of networks without IPv4 give.
  { within: block('64:ff9b::/96'), at: 12 },
  // RFC 3056, section 2: 6to4.
  { within: block('2002::/16'), at: 2 },
] as const;

const translationOf = (address: Address) => translations.find(({ within }) => isInBlock(address, within));

const translated = (address: Address, at: number): Address =>
  ipaddr.fromByteArray(address.toByteArray().slice(at, at + 4));

/** @param text a valid address. @returns the one that it leads to */
function parseAddress(text: string): Address {
  const address = ipaddr.parse(text);
  const translation = translationOf(address);
  return translation === undefined ? address : translated(address, translation.at);
}

/** Parses a block, also one within a translation. All of a translation is no block of IPv4: it would allow everything. */
function parseBlock(text: string): AddressBlock {
  const [network, bits] = block(text);
  const translation = translationOf(network);
  if (translation === undefined) return [network, bits];
  const bitsOfIPv4 = bits - translation.within[1];
  return bitsOfIPv4 <= 0 ? [network, bits] : [translated(network, translation.at), Math.min(32, bitsOfIPv4)];
}

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
    const address = parseAddress(text);
    if (allowed.some((each) => isInBlock(address, each))) return true;
    if (refusedBlocks.some((each) => isInBlock(address, each))) return false;
    return address.range() === 'unicast' && (address.kind() === 'ipv4' || isInBlock(address, publicIPv6));
  };
}

function isInBlock(address: Address, [network, bits]: AddressBlock): boolean {
  // `match` accepts only the kind of its address, which is checked here.
  return address.kind() === network.kind() && address.match(network as never, bits);
}

export const inBlocks =
  (blocks: readonly AddressBlock[]): AddressRule =>
  (text) =>
    ipaddr.isValid(text) && blocks.some((each) => isInBlock(parseAddress(text), each));

/** One client has a whole /64 of IPv6. Text that is no address, which a proxy may pass on, stands for itself. */
export function clientOf(text: string): string {
  if (!ipaddr.isValid(text)) return text.slice(0, 64);
  const address = parseAddress(text);
  return address.kind() === 'ipv4' ? address.toString() : `${hexOf(address.toByteArray().slice(0, 8))}/64`;
}

const hexOf = (bytes: readonly number[]): string => Buffer.from(bytes).toString('hex');

/** Reads comma-separated blocks and addresses. @throws Error that says what the value must be */
export function readBlocks(value: string): readonly AddressBlock[] {
  return commaList(value).map((entry) => {
    if (ipaddr.isValidCIDR(entry)) return parseBlock(entry);
    // The parser also accepts 127.1 and 0x7f000001: mistakes in an allow list.
    if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return block(`${entry}/32`);
    if (ipaddr.IPv6.isValid(entry)) return parseBlock(`${entry}/128`);
    throw new Error(`must be addresses or blocks such as 10.0.0.0/8, with commas between, but has "${entry}"`);
  });
}

/** This machine. */
export const loopback = readBlocks('127.0.0.0/8, ::1');

/** @param host as in a URL or in HOST */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host);

/** Null for a name. The URL parser has normalised every notation (decimal, hex, short, …). */
export function literalAddress({ hostname }: { readonly hostname: string }): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}

/** Filters the addresses of a name to those that may be connected to. A name without any is refused. */
export const allowedOf = (addresses: readonly ResolvedAddress[], allows: AddressRule): readonly ResolvedAddress[] =>
  addresses.filter(({ address }) => allows(address));

const noHosts = parseHostsFile('');

/** Whether a URL is ruled out without asking a name server. Other names are judged in the same way when connecting. */
export function isRefusedTarget(
  url: URL,
  allows: AddressRule,
  local: LocalNames = (hostname) => localAddresses(noHosts, hostname),
): boolean {
  const literal = literalAddress(url);
  if (literal !== null) return !allows(literal);
  const addresses = local(url.hostname);
  return addresses !== undefined && allowedOf(addresses, allows).length === 0;
}

/**
 * Ports of other protocols whose services would misread a POST (a mail server takes lines of a body for commands):
 * those that browsers refuse (https://fetch.spec.whatwg.org/#port-blocking). Receivers listen on many others.
 */
const blockedPorts: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
  ],
  ...[532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060],
  ...[5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** @param port as in a URL: empty for the default of its scheme */
export const isBlockedPort = (port: string): boolean => port !== '' && blockedPorts.has(Number(port));
