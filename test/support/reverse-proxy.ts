/** nginx and Caddy with a configuration of their own, on loopback, and requests through them. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface ReverseProxy {
  readonly address: string;
  /** Goes on with another configuration of the README. */
  reload(configuration: string): void;
  close(): Promise<void>;
}

/** Starts a proxy with a configuration of the README, whose gateways are at the given ports. */
export type StartProxy = (configuration: string, ports: readonly [number, number]) => Promise<ReverseProxy>;

export const startNginx: StartProxy = async (configuration, ports) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-nginx-'));
  const port = await freePort();
  const [certificate, key] = [join(folder, 'fullchain.pem'), join(folder, 'privkey.pem')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=api.example', '-days', '1'];
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const file = join(folder, 'nginx.conf');
  const write = (text: string) => {
    const site = withPorts(text, ports)
      .replace('listen 443 ssl http2', `listen 127.0.0.1:${port} ssl http2`)
      .replaceAll('/etc/ssl/api.example', folder);
    const main = `daemon off; pid ${join(folder, 'pid')}; error_log stderr; events {}`;
    // Its workers would be another user, who could not use the folder.
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    writeFileSync(file, `${user} ${main}\nhttp { access_log off; ${temporary.join(' ')}\n${site}\n}`);
  };
  write(configuration);
  const child = spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment(folder),
  });
  const proxy = await running(child, folder, port, `https://127.0.0.1:${port}`);
  return {
    ...proxy,
    reload(text) {
      write(text);
      child.kill('SIGHUP');
    },
  };
};

export const startCaddy: StartProxy = async (configuration, ports) => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-caddy-'));
  const port = await freePort();
  const site = withPorts(configuration, ports).replace('api.example {', `http://127.0.0.1:${port} {`);
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n${site}`);
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment(folder),
  });
  const proxy = await running(child, folder, port, `http://127.0.0.1:${port}`);
  return {
    ...proxy,
    reload: () => {
      throw new Error('Nothing has to be told to Caddy');
    },
  };
};

const environment = (home: string) => ({ PATH: `${process.env.PATH}:/usr/sbin:/sbin`, HOME: home });

const withPorts = (configuration: string, [first, second]: readonly [number, number]): string =>
  configuration.replaceAll('127.0.0.1:4000', `127.0.0.1:${first}`).replaceAll('127.0.0.1:4001', `127.0.0.1:${second}`);

async function running(
  child: ChildProcess,
  folder: string,
  port: number,
  address: string,
): Promise<Omit<ReverseProxy, 'reload'>> {
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for (let tries = 0; !(await listens(port)); tries += 1) {
    if (child.exitCode !== null || tries === 200) throw new Error(`The proxy does not listen:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    address,
    async close() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/**
 * A port on which nobody listens. It is none of those that the system gives to connections, which may take one before a
 * process listens on it, and while it restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

export interface ProxiedRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The address of this machine that the client has: any of 127.0.0.0/8. */
  readonly from?: string;
}

/** Sends a request, a POST if it has a body. @returns the response, whose body is not read yet */
export function open(url: string, { headers = {}, body, from }: ProxiedRequest = {}): Promise<IncomingMessage> {
  const client = url.startsWith('https') ? https : http;
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    // The certificate is for a name that leads elsewhere.
    const options = { method, headers, localAddress: from, rejectUnauthorized: false, agent: false } as const;
    client.request(url, options, resolve).once('error', reject).end(body);
  });
}

export async function send(url: string, request?: ProxiedRequest) {
  const response = await open(url, request);
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
