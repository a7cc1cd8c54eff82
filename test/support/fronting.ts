/** A gateway with webhooks of its own in front of a service, which is another gateway, in embedded mode. */

import { execFile } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { openService } from '../../src/app/backends/upstream-backend.ts';
import { readConfig } from '../../src/app/config/config.ts';
import { createRegistrar } from '../../src/app/intake/open.ts';
import { webhookEvents } from '../../src/events/sources.ts';
import { keyringOf } from '../../src/kernel/secrets/secret.ts';
import type { Database } from '../../src/store/database.ts';
import type { UpstreamSettings } from '../../src/upstream/settings.ts';
import { type Gateway, type GatewayOptions, startGateway, type TestWorkspace } from './gateway.ts';
import { testSecret } from './webhooks.ts';

export interface Fronting {
  readonly service: Gateway;
  /** At the service: its key is that of the gateway in front. */
  readonly space: TestWorkspace;
  readonly front: Gateway;
  /** Of the gateway in front. */
  readonly publicUrl: string;
  /** As another process of the gateway in front has it. */
  registrar(database: Database): ReturnType<typeof createRegistrar>;
  /** Runs a command of the gateway in front. */
  command(file: string, args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  close(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What a gateway is started with that has webhooks of its own in front of this one, and is sent nothing by it. */
export const inFrontOf = ({ address }: Gateway, { key }: TestWorkspace) => ({
  UPSTREAM_URL: address,
  UPSTREAM_API_KEY: key,
  WEBHOOKS: 'own',
  // Nothing listens there.
  PUBLIC_URL: 'http://127.0.0.1:9',
  INTAKE_EVENTS: 'ok',
});

/** Resolves once the service sends its events. */
export async function startFronting(environment: GatewayOptions['environment'] = {}): Promise<Fronting> {
  const service = await startGateway({ environment: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  const space = await service.workspace();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const own = {
    PORT: `${port}`,
    UPSTREAM_URL: service.address,
    UPSTREAM_API_KEY: space.key,
    WEBHOOKS: 'own',
    PUBLIC_URL: publicUrl,
    OUTBOUND_ALLOW: '127.0.0.0/8',
    ...environment,
  };
  const front = await startGateway({ environment: own });
  const { service: client } = openService(readConfig({ ...own, NODE_ENV: 'test' }).upstream as UpstreamSettings, {
    logger: pino({ level: 'silent' }),
    now: () => front.clock.now,
  });
  const isReady = () => front.log.some(({ msg }) => msg === 'the service sends its events');
  for (let left = 200; !isReady(); left -= 1) {
    if (left === 0) throw new Error(`The service sends nothing: ${JSON.stringify(front.log)}`);
    await sleep(50);
  }
  return {
    service,
    space,
    front,
    publicUrl,
    registrar: (database) =>
      createRegistrar({
        service: client,
        settings: { publicUrl, events: webhookEvents },
        keys: keyringOf({ current: testSecret, previous: undefined })('intake'),
        database,
        workspaceId: 'service',
        now: () => front.clock.now,
        learn: async () => undefined,
      }),
    command: (file, args) => runCommand(front, own, file, args),
    async close() {
      await client.close();
      await front.close();
      await service.close();
    },
  };
}

/** Runs a command of a gateway. @param environment in which it was started */
export function runCommand(
  { directory }: Gateway,
  environment: Readonly<Record<string, string>>,
  file: string,
  args: readonly string[],
): ReturnType<Fronting['command']> {
  const env = {
    ...process.env,
    DATABASE_URL: `sqlite:${join(directory, 'postern.db')}`,
    SECRET: testSecret,
    ...environment,
  };
  return promisify(execFile)(process.execPath, [file, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

/** A service that refuses all webhooks, with what it was sent, until the test is finished. @returns its address */
export async function startRefusing(): Promise<string> {
  const service = createHttpServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const refusal = { title: body, detail: body, instance: body, type: 'errors/invalid_parameters', status: 400 };
    const isList = request.method === 'GET';
    response
      .writeHead(isList ? 200 : 400, { 'content-type': 'application/json' })
      .end(JSON.stringify(isList ? { object: 'WebhookList', items: [], cursor: null } : refusal));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    service.closeAllConnections();
    await promisify(service.close.bind(service))();
  });
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
}
