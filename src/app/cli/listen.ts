/** Receives deliveries of a running gateway on this machine, by webhooks that live as long as the command. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { secretIn } from '../../capabilities/webhooks/signing-secret.ts';
import { isSigned } from '../../delivery/signature.ts';
import { type WebhookSource, webhookSourceNames } from '../../events/sources.ts';
import { messageOf } from '../../kernel/lib/to-error.ts';
import { readDemoKey } from '../../providers/sandbox/keys.ts';
import type { Config } from '../config/config.ts';
import { choiceOption, requiredListOption, runProgram } from './command.ts';
import { UsageError, writeNote } from './report-error.ts';

const usage = `Receives deliveries of a running gateway, and prints a line for each: its time, event, account, and whether it is signed.

Usage:
  npx postern listen [--source <source,…>] [--status <number>] [--json] [--url <address>] [--key <API key>]

It creates a webhook for each source, and deletes them at its end (Ctrl-C). Try it with "npx postern sandbox emit users new_relation".
  --source  ${webhookSourceNames.join(', ')} (default: all)
  --status  the status of each response (default: 200)
  --json    prints the body of each delivery, too
  --url     the address of the gateway (default: POSTERN_URL, then HOST and PORT)
  --key     its API key, with webhooks:write (default: POSTERN_KEY, then the demo key in the data folder)
`;

/** Size of one delivery. The gateway sends no larger one. */
const maxBytes = 16_777_216;
/** Between two looks whether the gateway is there. */
const lookMs = 2_000;
/** A gateway that hangs must not keep the command. */
const callMs = 10_000;

interface Options {
  readonly sources: readonly WebhookSource[];
  readonly status: number;
  readonly json: boolean;
  readonly url: string | undefined;
  readonly key: string | undefined;
}

await runProgram(usage, process.argv.slice(2), (args) => {
  const text = { type: 'string' } as const;
  const options = { source: text, status: text, url: text, key: text, json: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args, options });
  const { source, status = '200', json = false, url, key } = values;
  const names = source === undefined ? webhookSourceNames : requiredListOption({ source }, 'source');
  if (!/^[2-5]\d\d$/.test(status)) throw new UsageError(`--status must be from 200 to 599, but is "${status}".`);
  const sources = names.map((name) => choiceOption(name.toLowerCase(), '--source', webhookSourceNames));
  return (config) => listen(config, { sources, status: Number(status), json, url, key });
});

/** @returns what is left to say at the end */
async function listen(config: Config, { sources, ...options }: Options): Promise<string> {
  const address = addressIn(config, options);
  const call = client(address, options.key || config.client.key || (await demoKeyOf(config)));
  // Before anything is there that has to be deleted.
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => ended.abort());
  // Its reader has gone.
  process.stdout.on('error', () => ended.abort());

  // By their sources, before their creation has ended: a delivery can be faster.
  const secrets = new Map<string, Promise<string>>();
  const webhooks: string[] = [];
  // A static import would load the undici of Node.js into every command.
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    receive(request, response, secrets, options).catch((error: unknown) => {
      writeNote(`A request could not be received: ${messageOf(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = async (source: WebhookSource): Promise<string> => {
    const input = { name: 'postern listen', requestUrl: `${origin}/${source}`, source: source.toUpperCase() };
    const { webhookId = '' } = await call('createWebhook', 'CreateWebhookInput', 'WebhookCreated { webhookId }', input);
    webhooks.push(webhookId);
    const revealed = await call('revealWebhookSecret', 'RevealWebhookSecretInput', 'WebhookSecret { secret }', {
      webhookId,
    });
    return revealed.secret ?? '';
  };
  try {
    for (const source of sources) {
      if (ended.signal.aborted) break;
      const secret = open(source);
      // Who awaits it is told, too.
      secrets.set(source, secret);
      await secret;
    }
    if (!ended.signal.aborted) writeNote(`Listening to ${sources.join(', ')} of ${address}. Ctrl-C ends it.`);
    await watch(address, ended.signal);
  } finally {
    await remove(webhooks, address, call).finally(() => {
      server.close();
      server.closeAllConnections();
    });
  }
  return `Deleted ${webhooks.length} webhook${webhooks.length === 1 ? '' : 's'}.`;
}

/** Says when the gateway goes and comes, until the end: it has the webhooks after a restart, too. */
async function watch(address: string, end: AbortSignal): Promise<void> {
  let isThere = true;
  while (!end.aborted) {
    const was: boolean = isThere;
    const signal = AbortSignal.any([end, AbortSignal.timeout(callMs)]);
    isThere = await fetch(`${address}/livez`, { signal })
      .then((response) => response.text())
      .then(
        () => true,
        () => end.aborted && was,
      );
    if (was && !isThere) writeNote(`The gateway at ${address} is gone. Listening again when it is back.`);
    if (!was && isThere) writeNote('The gateway is back.');
    await sleep(lookMs, undefined, { signal: end }).catch(() => undefined);
  }
}

/** @throws UsageError that names the webhooks that are left */
async function remove(webhooks: readonly string[], address: string, call: Call): Promise<void> {
  const ended = await Promise.allSettled(
    webhooks.map((webhookId) =>
      call('deleteWebhook', 'DeleteWebhookInput', 'WebhookDeleted { webhookId }', { webhookId }),
    ),
  );
  const left = webhooks.filter((_, at) => ended[at]?.status === 'rejected');
  if (left.length === 0) return;
  throw new UsageError(`The gateway at ${address} did not delete webhooks, which are left: ${left.join(', ')}.`);
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  secrets: ReadonlyMap<string, Promise<string>>,
  { status, json }: Pick<Options, 'status' | 'json'>,
): Promise<void> {
  const secret = secrets.get(request.url?.slice(1) ?? '');
  if (secret === undefined) {
    response.writeHead(404).end();
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const now = Date.now();
  const isOurs = isSigned(request.headers, { body, now }, secretIn(await secret));
  const payload = parsed(body.toString());
  const { event, account_id: account } = payload as { event?: unknown; account_id?: unknown };
  const line = [new Date(now).toISOString(), word(event), word(account), isOurs ? 'verified ✓' : 'NOT verified ✗'];
  // As JSON has no characters that a terminal obeys.
  process.stdout.write(`${line.join('  ')}\n${json ? `${JSON.stringify(payload)}\n` : ''}`);
  response.writeHead(status).end();
}

/** Anybody on this machine can send one: a terminal obeys some characters. */
function word(value: unknown): string {
  return (typeof value === 'string' ? value : '-').replaceAll(/[^\w.-]/g, '?');
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Told below.
  }
  return { text };
}

interface Answer {
  readonly data?: { readonly result: Readonly<Record<string, string>> } | null;
  readonly errors?: readonly { readonly message: string }[];
}

type Call = (
  mutation: string,
  inputType: string,
  selection: string,
  input: object,
) => Promise<Readonly<Record<string, string>>>;

function client(address: string, key: string): Call {
  return async (mutation, inputType, selection, input) => {
    const query = `mutation Listen($input: ${inputType}!) {
      result: ${mutation}(input: $input) { ... on ${selection} ... on ServiceError { code message } }
    }`;
    const response = await fetch(`${address}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query, variables: { input } }),
      signal: AbortSignal.timeout(callMs),
    }).catch((error: unknown) => {
      throw new UsageError(`No gateway responds at ${address} (${reasonOf(error)}): start one, or set --url.`);
    });
    const { data, errors } = (await response.json().catch(() => {
      throw new UsageError(`${address}/graphql responds with ${response.status} and no JSON: is it a gateway?`);
    })) as Answer;
    const message = errors?.[0]?.message ?? data?.result?.message;
    if (message !== undefined) throw new UsageError(`${mutation} of ${address}: ${message}`);
    return data?.result ?? {};
  };
}

/** Tells why a fetch failed: its own message is "fetch failed". */
function reasonOf(error: unknown): string {
  return (error instanceof Error && error.cause !== undefined && messageOf(error.cause)) || messageOf(error);
}

function addressIn({ client }: Config, { url = client.url ?? '' }: Pick<Options, 'url'>): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url.endsWith('/') ? url.slice(0, -1) : url;
  throw new UsageError(`--url must be an address such as http://127.0.0.1:4000, but is "${url}".`);
}

async function demoKeyOf({ demoKeyFile }: Config): Promise<string> {
  const key = await readDemoKey(demoKeyFile);
  if (key !== undefined) return key;
  throw new UsageError(`No API key: set POSTERN_KEY, or start the gateway here, which makes ${demoKeyFile}.`);
}
