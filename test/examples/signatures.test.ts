/** `verifyWebhook`, and the samples of `examples/signatures`: each verifies what the gateway signs, where its language is at hand. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { newSecret, type SigningSecret, secretText } from '../../src/capabilities/webhooks/signing-secret.ts';
import { verifyWebhook } from '../../src/client/index.ts';
import { signatureHeaders } from '../../src/delivery/signature.ts';
import { type Environment, temporaryDirectory } from '../support/process.ts';
import { hasGo, hasPhp, hasPython, hasRuby } from '../support/servers.ts';

const folder = join(import.meta.dirname, '../../examples/signatures');
const run = promisify(execFile);

/** Deliveries as a program reads them: it prints `true` or `false` for each. */
interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly secret: string;
}

interface Language {
  readonly file: string;
  readonly isHere: boolean;
  /** Prints for each delivery of a file of JSON, in which bodies are base64, whether the sample accepts it. */
  check(file: string, directory: string): Promise<string>;
}

const python = `
import base64, json, sys
from verify import verify
def accepts(one):
    try:
        verify(one["headers"], base64.b64decode(one["body"]), one["secret"])
        return True
    except ValueError:
        return False
print(json.dumps([accepts(one) for one in json.load(open(sys.argv[1]))]))
`;

const php = `
require $argv[1];
$accepts = function (array $one): bool {
    try {
        verify($one['headers'], base64_decode($one['body']), $one['secret']);
        return true;
    } catch (RuntimeException) {
        return false;
    }
};
echo json_encode(array_map($accepts, json_decode(file_get_contents($argv[2]), true)));
`;

const ruby = `
require 'json'
require ARGV[0]
puts JSON.generate(JSON.parse(File.read(ARGV[1])).map do |one|
  verify(one['headers'], one['body'].unpack1('m'), one['secret'])
  true
rescue ArgumentError
  false
end)
`;

const go = `package main

import (
	"encoding/json"
	"net/http"
	"os"

	"sample/webhooks"
)

func main() {
	var all []struct {
		Headers map[string]string
		Body    []byte
		Secret  string
	}
	file, _ := os.ReadFile(os.Args[1])
	if err := json.Unmarshal(file, &all); err != nil {
		panic(err)
	}
	accepted := []bool{}
	for _, one := range all {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		accepted = append(accepted, webhooks.Verify(headers, one.Body, one.Secret) == nil)
	}
	json.NewEncoder(os.Stdout).Encode(accepted)
}
`;

const output = async (program: string, args: readonly string[], cwd = folder, env: Environment = {}) =>
  (await run(program, args, { cwd, env: { ...process.env, ...env } })).stdout;

const languages: readonly Language[] = [
  {
    file: 'verify.py',
    isHere: hasPython,
    check: (file) => output('python3', ['-B', '-c', python, file]),
  },
  {
    file: 'verify.go',
    isHere: hasGo,
    async check(file, directory) {
      await mkdir(join(directory, 'webhooks'));
      await cp(join(folder, 'verify.go'), join(directory, 'webhooks/verify.go'));
      await writeFile(join(directory, 'go.mod'), 'module sample\n');
      await writeFile(join(directory, 'main.go'), go);
      const offline = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOCACHE: join(directory, 'cache') };
      expect(await output('go', ['vet', './...'], directory, offline)).toBe('');
      return output('go', ['run', '.', file], directory, offline);
    },
  },
  {
    file: 'verify.php',
    isHere: hasPhp,
    check: (file) => output('php', ['-d', 'error_reporting=-1', '-r', php, join(folder, 'verify.php'), file]),
  },
  {
    file: 'verify.rb',
    isHere: hasRuby,
    check: (file) => output('ruby', ['-w', '-e', ruby, join(folder, 'verify.rb'), file]),
  },
];

const [secret, former] = [newSecret(randomBytes), newSecret(randomBytes)];
const body = Buffer.from('{"event":"new_relation","text":"ümlaut \u0000"}');
const second = 1_000;

function delivery({
  now = Date.now(),
  secrets = [secret],
  verifiedWith = secret,
  sent = body,
  headers = {},
}: {
  now?: number;
  secrets?: readonly SigningSecret[];
  verifiedWith?: SigningSecret;
  sent?: Buffer;
  headers?: Readonly<Record<string, string | undefined>>;
}): Delivery {
  const list = signatureHeaders({ id: 'msg_1', now, body }, secrets);
  const signed = Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : [])));
  return {
    headers: JSON.parse(JSON.stringify({ ...signed, ...headers })),
    body: sent.toString('base64'),
    secret: secretText(verifiedWith),
  };
}

/** `verifyWebhook` of `postern/client`. What is signed may be no JSON. */
const typescript: Language = {
  file: 'verifyWebhook',
  isHere: true,
  async check(file) {
    const all: readonly Delivery[] = JSON.parse(await readFile(file, 'utf8'));
    const accepts = ({ headers, body, secret }: Delivery) =>
      verifyWebhook({ headers, body: new Uint8Array(Buffer.from(body, 'base64')) }, secret).then(
        () => true,
        ({ code }) => code === 'UNREADABLE_BODY',
      );
    return JSON.stringify(await Promise.all(all.map(accepts)));
  },
};

const signatureOf = (all: Delivery): string => all.headers['webhook-signature'] ?? '';
const whole = () => signatureOf(delivery({}));

/** What is to be accepted, and what is not. The time of those within the tolerance is far from its end: Go compiles first. */
const cases: Readonly<Record<string, readonly [() => Delivery, boolean]>> = {
  'what the gateway signed': [() => delivery({}), true],
  'a body of any bytes': [() => ofBytes(), true],
  'the first of two secrets': [() => delivery({ secrets: [secret, former] }), true],
  'the second of two secrets': [() => delivery({ secrets: [secret, former], verifiedWith: former }), true],
  'a signature of a later version beside it': [
    () => delivery({ headers: { 'webhook-signature': `v1a,abc ${whole()}` } }),
    true,
  ],
  'a few minutes ago': [() => delivery({ now: Date.now() - 200 * second }), true],
  'a clock that is a little behind': [() => delivery({ now: Date.now() + 200 * second }), true],
  'more than five minutes ago': [() => delivery({ now: Date.now() - 302 * second }), false],
  'more than five minutes ahead': [() => delivery({ now: Date.now() + 600 * second }), false],
  'another secret': [() => delivery({ verifiedWith: newSecret(randomBytes) }), false],
  'another body': [() => delivery({ sent: Buffer.from(`${body} `) }), false],
  'another id': [() => delivery({ headers: { 'webhook-id': 'msg_2' } }), false],
  'another time': [() => delivery({ headers: { 'webhook-timestamp': `${Math.floor(Date.now() / 1000) + 1}` } }), false],
  'no time': [() => delivery({ headers: { 'webhook-timestamp': undefined } }), false],
  'a time that is none': [() => delivery({ headers: { 'webhook-timestamp': 'now' } }), false],
  'no id': [() => delivery({ headers: { 'webhook-id': undefined } }), false],
  'no signature': [() => delivery({ headers: { 'webhook-signature': undefined } }), false],
  'an empty signature': [() => delivery({ headers: { 'webhook-signature': '' } }), false],
  'a part of the signature': [() => delivery({ headers: { 'webhook-signature': whole().slice(0, -1) } }), false],
  'a signature without its version': [() => delivery({ headers: { 'webhook-signature': whole().slice(3) } }), false],
  'a signature that is not ASCII': [() => delivery({ headers: { 'webhook-signature': 'v1,ü' } }), false],
};

/** Signed and sent with bytes that are no text. */
function ofBytes(): Delivery {
  const bytes = Buffer.from([0, 255, 254, 10, 13, 128]);
  const list = signatureHeaders({ id: 'msg_1', now: Date.now(), body: bytes }, [secret]);
  return delivery({ sent: bytes, headers: { 'webhook-timestamp': list[3], 'webhook-signature': list[5] } });
}

for (const { file, isHere, check } of [typescript, ...languages]) {
  describe.skipIf(!isHere)(file, () => {
    let accepted: readonly boolean[] = [];
    beforeAll(async () => {
      await using directory = await temporaryDirectory();
      const deliveries = join(directory.path, 'deliveries.json');
      await writeFile(deliveries, JSON.stringify(Object.values(cases).map(([make]) => make())));
      accepted = JSON.parse(await check(deliveries, directory.path));
    });

    test.each(Object.entries(cases).map(([name, [, expected]], at) => ({ name, expected, at })))(
      '$name: $expected',
      ({ expected, at }) => {
        expect(accepted[at]).toBe(expected);
      },
    );
  });
}

test('each is linked from the page of webhooks, and imports nothing that has to be installed', async () => {
  const page = await readFile('docs/use/webhooks.md', 'utf8');
  for (const { file } of languages) {
    expect(page).toContain(`(../../examples/signatures/${file})`);
    const text = await readFile(join(folder, file), 'utf8');
    expect(text.split('\n').length).toBeLessThan(60);
    // Those of Go with a dot are of others.
    expect(text).not.toMatch(/^\t"[^"]*\./m);
  }
});
