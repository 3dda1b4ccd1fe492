/** Addresses that are not of the public internet: this machine, its networks, the metadata services of clouds. */
import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const PRIVATE_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];
/** Of IPv6 only this much is public, and of that not what holds an IPv4 address or is set apart. */
const GLOBAL_V6 = ['2000::/3'];
const PRIVATE_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const privateV4 = listOf(PRIVATE_V4, 'ipv4');
const globalV6 = listOf(GLOBAL_V6, 'ipv6');
const privateV6 = listOf(PRIVATE_V6, 'ipv6');

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** What is no address at all counts as private. */
export function isPrivate(address: string): boolean {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 4) return privateV4.check(plain, 'ipv4');
  if (isIP(plain) === 6) return !globalV6.check(plain, 'ipv6') || privateV6.check(plain, 'ipv6');
  return true;
}

export class PrivateAddress extends Error {
  constructor(host: string, address: string) {
    super(`${host} is an address of this machine or its networks (${address}), which may not be fetched`);
  }
}

export type Lookup = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Asked by the connection itself: what was checked is what is connected to, and no second answer of the name server comes in
 * between. One private address among several refuses them all.
 */
export function guardedLookup(allowPrivate: boolean, lookup: Lookup = systemLookup): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '');
      const refused = allowPrivate ? undefined : addresses.find(({ address }) => isPrivate(address));
      const [first] = addresses;
      if (refused) return done(new PrivateAddress(host, refused.address), '');
      if (first === undefined) return done(new Error(`${host} has no address`), '');
      if (options.all) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };
}

/** A host that is an address is connected to without a lookup. */
export function refusedLiteral(url: URL): PrivateAddress | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 && isPrivate(host) ? new PrivateAddress(host, host) : undefined;
}
