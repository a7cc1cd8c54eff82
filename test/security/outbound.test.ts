import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addressRule, isRefusedTarget, readBlocks } from '../../src/security/addresses.ts';
import { createOutbound, type Lookup, type Outbound } from '../../src/security/outbound.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const publicOnly = addressRule([]);
const withLoopback = addressRule(readBlocks('127.0.0.0/8'));

/** Every way we know to write an address that must not be reached: none needs a resolver to be refused. */
const hostileLiterals = [
  // loopback
  'http://127.0.0.1/',
  'http://127.0.0.1:22/',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://0177.0.0.01/',
  'http://0177.0x0.0.1/',
  'http://127.255.255.254/',
  'http://127.0.0.1./',
  'http://%31%32%37.0.0.1/',
  'http://１２７.０.０.１/',
  'http://127。0。0。1/',
  'http://①②⑦.0.0.1/',
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://anything.localhost/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[0000:0000::0001]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[::7f00:1]/',
  // this host
  'http://0.0.0.0/',
  'http://0/',
  'http://0x0/',
  'http://00/',
  'http://[::]/',
  'http://[::ffff:0.0.0.0]/',
  // metadata services
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://0xA9FEA9FE/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[fd00:ec2::254]/',
  'http://168.63.129.16/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://169.254.170.2/',
  // private, carrier-grade NAT, link-local
  'http://10.0.0.1/',
  'http://167772161/',
  'http://10.255.255.255/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.0.1/',
  'http://0xc0a80001/',
  'http://100.64.0.1/',
  'http://100.127.255.255/',
  'http://169.254.1.1/',
  'http://[fc00::1]/',
  'http://[fdff:ffff::1]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  // multicast, broadcast, reserved, documentation, benchmarks
  'http://224.0.0.1/',
  'http://239.255.255.250/',
  'http://255.255.255.255/',
  'http://240.0.0.1/',
  'http://192.0.2.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://198.18.0.1/',
  'http://192.88.99.1/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://[100::1]/',
  // IPv4 in IPv6 dress: NAT64, 6to4, Teredo, translated
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[64:ff9b:1::10.0.0.1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'http://[::ffff:0:10.0.0.1]/',
  'http://[5f00::1]/',
];

const publicTargets = [
  'https://8.8.8.8/',
  'https://hooks.example/in',
  'https://[2606:4700:4700::1111]/',
  'https://notlocalhost/',
  'https://localhost.example/',
  'http://172.32.0.1/',
  'http://100.128.0.1/',
];

describe('address rules', () => {
  test('there are more than sixty ways to write a hostile address, all different', () => {
    expect(new Set(hostileLiterals).size).toBe(hostileLiterals.length);
    expect(hostileLiterals.length).toBeGreaterThan(60);
  });

  test.each(hostileLiterals)('%s is refused', (text) => {
    expect(isRefusedTarget(new URL(text), publicOnly)).toBe(true);
  });

  test.each(publicTargets)('%s is let through', (text) => {
    expect(isRefusedTarget(new URL(text), publicOnly)).toBe(false);
  });

  test('an allowed block lets its own addresses through and no others', () => {
    const rule = addressRule(readBlocks('127.0.0.0/8, 10.1.2.3, fd00::/8'));
    expect(['127.0.0.1', '10.1.2.3', 'fd00::1'].map(rule)).toEqual([true, true, true]);
    expect(['10.1.2.4', '192.168.0.1', '::1', '::ffff:127.0.0.1', 'not an address'].map(rule)).toEqual(
      Array(5).fill(false),
    );
  });

  test.each(['nonsense', '10.0.0.0/33', '127.1', '10.0.0.0/8;192.168.0.0/16', 'localhost'])(
    '%s is no block',
    (text) => {
      expect(() => readBlocks(text)).toThrow('must be addresses or blocks');
    },
  );
});

describe('the door to the network', () => {
  let receiver: Receiver;
  let outbound: Outbound;
  let answers: Record<string, string[]>;
  let asked: string[];

  const lookup: Lookup = async (hostname) => {
    asked.push(hostname);
    const found = answers[hostname];
    if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const open = (allows = withLoopback) => {
    outbound = createOutbound({ allows, lookup, connectTimeoutMs: 2_000 });
    return outbound;
  };
  const post = (url: string, deadlineMs = 2_000) =>
    outbound.post({ url: new URL(url), headers: ['x-test', 'yes'], body: Buffer.from('hello'), deadlineMs });

  /** The client takes a connection back some turns of the event loop after the answer's end. */
  const connectionFree = async () => {
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  beforeEach(async () => {
    receiver = await startReceiver();
    answers = {};
    asked = [];
  });
  afterEach(async () => {
    await outbound.close();
    await receiver.close();
  });

  test('sends the bytes it is given and reads what comes back', async () => {
    open();
    receiver.answer = (_request, response) => response.writeHead(202, { 'retry-after': '7' }).end('thanks');
    const answer = await post(`${receiver.address}/in?a=1`);
    expect(answer).toMatchObject({ status: 202, failure: null, retryAfter: '7' });
    expect(answer.body.toString()).toBe('thanks');
    expect(receiver.received).toMatchObject([{ path: '/in?a=1', body: 'hello', headers: { 'x-test': 'yes' } }]);
  });

  test('keeps a connection for the next request', async () => {
    open();
    const ports = new Set<number | undefined>();
    receiver.answer = (_request, response, raw) => {
      ports.add(raw.socket.remotePort);
      response.end();
    };
    for (let n = 0; n < 5; n += 1) {
      await post(receiver.address);
      await connectionFree();
    }
    expect(ports.size).toBe(1);
  });

  test.each(hostileLiterals)('does not connect to %s, though it never reaches a resolver', async (text) => {
    open(publicOnly);
    answers = { localhost: ['127.0.0.1'], 'localhost.': ['127.0.0.1'], 'anything.localhost': ['::1'] };
    expect(await post(text, 500)).toMatchObject({ status: null, failure: 'address_refused' });
  });

  test('a name that leads to a refused address is refused, one bad address among good ones too', async () => {
    open(publicOnly);
    answers = {
      'loop.example': ['127.0.0.1'],
      'mixed.example': ['93.184.216.34', '10.0.0.1'],
      'v6.example': ['::ffff:169.254.169.254'],
      'none.example': [],
    };
    for (const name of Object.keys(answers)) {
      expect(await post(`http://${name}:${receiver.port}/`)).toMatchObject({ failure: 'address_refused' });
    }
    expect(receiver.received).toEqual([]);
  });

  test('a name that changes its address between two looks gains nothing', async () => {
    // The first answer is allowed and is connected to; the second is not, and the resolver is asked once a connection.
    open(addressRule(readBlocks('127.0.0.1')));
    answers = { 'rebind.example': ['127.0.0.1'] };
    const url = `http://rebind.example:${receiver.port}/`;
    expect(await post(url)).toMatchObject({ status: 200 });
    expect(asked).toEqual(['rebind.example']);
    await connectionFree();
    answers = { 'rebind.example': ['127.0.0.2'] };
    receiver.answer = (_request, response) => response.setHeader('connection', 'close').end();
    expect(await post(url)).toMatchObject({ status: 200 });
    expect(asked).toEqual(['rebind.example']);
    await connectionFree();
    expect(await post(url)).toMatchObject({ failure: 'address_refused' });
    expect(receiver.received).toHaveLength(2);
  });

  test('what was connected to in the end is looked at too', async () => {
    // A rule that lets the address through when it is resolved, and not when it is found at the other end.
    let looks = 0;
    open(() => {
      looks += 1;
      return looks === 1;
    });
    answers = { 'late.example': ['127.0.0.1'] };
    expect(await post(`http://late.example:${receiver.port}/`)).toMatchObject({ failure: 'address_refused' });
    expect(receiver.received).toEqual([]);
  });

  test('follows no redirect', async () => {
    open();
    receiver.answer = (_request, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    expect(await post(receiver.address)).toMatchObject({ status: 307, failure: null });
    expect(receiver.received).toHaveLength(1);
  });

  test('one deadline holds for the whole answer: for one that never comes and for one that drips', async () => {
    open();
    receiver.answer = () => {};
    expect(await post(receiver.address, 100)).toMatchObject({ status: null, failure: 'timeout' });
    let drip: NodeJS.Timeout | undefined;
    receiver.answer = (_request, response) => {
      response.writeHead(200);
      drip = setInterval(() => response.write('x'), 10);
    };
    expect(await post(receiver.address, 150)).toMatchObject({ status: 200, failure: 'timeout' });
    clearInterval(drip);
  });

  test('reads 16 KiB of a long answer and no more', async () => {
    open();
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    receiver.answer = (_request, response) => {
      response.on('close', () => closed?.());
      response.writeHead(200).end(Buffer.alloc(10 * 1024 * 1024, 'x'));
    };
    const answer = await post(receiver.address);
    expect(answer).toMatchObject({ status: 200, failure: null });
    expect(answer.body).toHaveLength(1024);
    await gone;
  });

  test('a connection that is reset, an answer that is no HTTP, and a chunk that is broken are failures', async () => {
    open();
    receiver.answer = (_request, _response, raw) => raw.socket.resetAndDestroy();
    expect(await post(receiver.address)).toMatchObject({ status: null, failure: 'connection_lost' });
    receiver.answer = (_request, _response, raw) => raw.socket.end('nonsense\r\n\r\n');
    expect(await post(receiver.address)).toMatchObject({ status: null, failure: 'invalid_answer' });
    receiver.answer = (_request, _response, raw) =>
      raw.socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nbroken\r\n');
    expect(await post(receiver.address)).toMatchObject({ status: 200, failure: 'invalid_answer' });
    receiver.answer = (_request, _response, raw) =>
      raw.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort');
    expect(await post(receiver.address)).toMatchObject({ status: 200, failure: 'connection_lost' });
  });

  test('nobody there, and a name that nobody has', async () => {
    open();
    expect(await post('http://127.0.0.1:1/')).toMatchObject({ status: null, failure: 'connection_failed' });
    expect(await post('http://nobody.example/')).toMatchObject({ status: null, failure: 'name_not_found' });
  });
});
