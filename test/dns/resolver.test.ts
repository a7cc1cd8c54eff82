/** The resolver: whom it asks, for which names, for how long, and what it keeps. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lookup } from '../../src/net/dns/lookup.ts';
import { createResolver } from '../../src/net/dns/resolver.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';

describe('the resolver', () => {
  let server: NameServer;
  let directory: string;
  let clock: number;
  let lookup: Lookup;
  const hostsFile = () => join(directory, 'hosts');
  const resolvConf = () => join(directory, 'resolv.conf');
  const addressesOf = async (name: string) => (await lookup(name)).map(({ address }) => address);
  const codeOf = (name: string) => lookup(name).catch(({ code }: { code: string }) => code);

  beforeEach(async () => {
    server = await startNameServer();
    directory = await mkdtemp(join(tmpdir(), 'postern-dns-'));
    await writeFile(hostsFile(), '');
    await writeFile(resolvConf(), '');
    clock = 0;
    lookup = createResolver({
      servers: [server.address],
      hostsFile: hostsFile(),
      resolvConf: resolvConf(),
      timeoutMs: 300,
      clock: () => clock,
    });
  });
  afterEach(async () => {
    await server.close();
    await rm(directory, { recursive: true });
  });

  test('finds the addresses of both families, IPv4 first', async () => {
    server.names = { 'hooks.example': ['2001:db8:0:0:0:0:0:1', '192.0.2.1', '192.0.2.2'] };
    expect(await lookup('Hooks.Example')).toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
  });

  test('caches an answer for the TTL of its records', async () => {
    server.names = { 'hooks.example': ['192.0.2.1'] };
    server.ttl = 30;
    await lookup('hooks.example');
    server.names = { 'hooks.example': ['192.0.2.2'] };
    clock = 29_999;
    expect(await addressesOf('hooks.example')).toEqual(['192.0.2.1']);
    clock = 30_000;
    expect(await addressesOf('hooks.example')).toEqual(['192.0.2.2']);
  });

  test('caches an answer for an hour at most, and never with a TTL of zero', async () => {
    server.names = { 'long.example': ['192.0.2.1'], 'now.example': ['192.0.2.1'] };
    server.ttl = 1_000_000;
    await lookup('long.example');
    server.ttl = 0;
    await lookup('now.example');
    server.names = { 'long.example': ['192.0.2.2'], 'now.example': ['192.0.2.2'] };
    expect(await addressesOf('now.example')).toEqual(['192.0.2.2']);
    expect(await addressesOf('long.example')).toEqual(['192.0.2.1']);
    clock = 3_600_000;
    expect(await addressesOf('long.example')).toEqual(['192.0.2.2']);
  });

  test('shares one lookup among simultaneous requests for a name', async () => {
    server.names = { 'hooks.example': ['192.0.2.1'] };
    await Promise.all(Array.from({ length: 50 }, () => lookup('hooks.example')));
    expect(server.asked.sort()).toEqual(['A hooks.example', 'AAAA hooks.example']);
  });

  test('gives up on a name without an answer, and remembers that for some seconds', async () => {
    server.names = { 'silent.example': null };
    expect(await codeOf('silent.example')).toBe('EAI_AGAIN');
    const asked = server.asked.length;
    server.names = { 'silent.example': ['192.0.2.1'] };
    clock = 4_999;
    expect(await codeOf('silent.example')).toBe('EAI_AGAIN');
    expect(server.asked).toHaveLength(asked);
    clock = 5_000;
    expect(await addressesOf('silent.example')).toEqual(['192.0.2.1']);
  });

  test('distinguishes a name that does not exist from a failure of the server', async () => {
    server.names = { 'broken.example': 'servfail', 'empty.example': [] };
    expect(await codeOf('nobody.example')).toBe('ENOTFOUND');
    expect(await codeOf('empty.example')).toBe('ENOTFOUND');
    expect(await codeOf('broken.example')).toBe('EAI_AGAIN');
    expect(await codeOf(`${'x'.repeat(64)}.example`)).toBe('ENOTFOUND');
  });

  test('queries the servers of resolv.conf, and does not wait for one that cannot be reached', async () => {
    await writeFile(resolvConf(), 'nameserver 127.0.0.1\n');
    const asked: (readonly string[])[] = [];
    lookup = createResolver({
      hostsFile: hostsFile(),
      resolvConf: resolvConf(),
      query: async (_name, servers) => {
        asked.push(servers);
        return { addresses: [{ address: '192.0.2.1', family: 4 }], ttlMs: 0 };
      },
    });
    await lookup('hooks.example');
    expect(asked).toEqual([['127.0.0.1']]);
  });

  test('queries the next server when one does not respond', { timeout: 5_000 }, async () => {
    const silent = await startNameServer();
    silent.names = { 'hooks.example': null };
    server.names = { 'hooks.example': ['192.0.2.1'] };
    lookup = createResolver({ servers: [silent.address, server.address], hostsFile: hostsFile() });
    expect(await addressesOf('hooks.example')).toEqual(['192.0.2.1']);
    await silent.close();
  });

  test('searches the domains of resolv.conf, and reads the file again when it has changed', async () => {
    await writeFile(resolvConf(), 'search corp.example\noptions ndots:2 timeout:1\n');
    clock = 1_000;
    server.names = { 'a.corp.example': ['192.0.2.1'], 'a.b.example': ['192.0.2.2'] };
    expect(await addressesOf('a')).toEqual(['192.0.2.1']);
    expect(await addressesOf('a.b.example')).toEqual(['192.0.2.2']);
    // A name with a dot at its end is complete.
    expect(await codeOf('a.')).toBe('ENOTFOUND');
    const asked = new Set(server.asked.map((question) => question.replace(/^\w+ /, '')));
    expect([...asked]).toEqual(['a.corp.example', 'a.b.example', 'a']);
    await writeFile(resolvConf(), 'search lab.example\n');
    server.names = { 'c.lab.example': ['192.0.2.3'] };
    clock = 2_000;
    expect(await addressesOf('c')).toEqual(['192.0.2.3']);
  });

  test('an error has the name that was requested, and not those that were searched', async () => {
    await writeFile(resolvConf(), 'search corp.example\n');
    clock = 1_000;
    server.names = { 'broken.corp.example': 'servfail' };
    await expect(lookup('broken')).rejects.toMatchObject({ code: 'EAI_AGAIN', message: 'EAI_AGAIN broken' });
  });

  test('takes the names of the hosts file, and reads it again when it has changed', async () => {
    await writeFile(
      hostsFile(),
      '# a comment\n192.0.2.7 Receiver receiver.lan # the box\n2001:db8::7 receiver\nnonsense\n',
    );
    clock = 1_000;
    expect(await addressesOf('receiver')).toEqual(['192.0.2.7', '2001:db8::7']);
    expect(await addressesOf('receiver.lan.')).toEqual(['192.0.2.7']);
    await writeFile(hostsFile(), '192.0.2.8 receiver\n');
    clock = 2_000;
    expect(await addressesOf('receiver')).toEqual(['192.0.2.8']);
    await rm(hostsFile());
    clock = 3_000;
    expect(await codeOf('receiver')).toBe('ENOTFOUND');
  });

  test('knows localhost by itself', async () => {
    expect(await addressesOf('localhost')).toEqual(['127.0.0.1', '::1']);
    expect(await addressesOf('any.localhost.')).toEqual(['127.0.0.1', '::1']);
    expect(server.asked).toEqual([]);
  });
});
