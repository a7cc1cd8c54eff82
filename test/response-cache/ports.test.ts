/** Commands invalidate the cached responses of their callers, and reads do not: for every method of every port. */
import { describe, expect, test } from 'vitest';
import { invalidatingPorts } from '../../src/cache/invalidating-ports.ts';
import * as accountOperations from '../../src/capabilities/accounts/operations.ts';
import * as deliveryOperations from '../../src/capabilities/deliveries/operations.ts';
import * as jobOperations from '../../src/capabilities/jobs/operations.ts';
import * as postOperations from '../../src/capabilities/posts/operations.ts';
import * as webhookOperations from '../../src/capabilities/webhooks/operations.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import { entriesOf, keysOf } from '../../src/kernel/lib/objects.ts';
import type { AnyOperation, Operation } from '../../src/kernel/operation.ts';
import { type PortName, type Ports, readMethods } from '../../src/kernel/ports.ts';
import { startGateway } from '../support/gateway.ts';

const operations: readonly (readonly [name: string, AnyOperation])[] = [
  accountOperations,
  deliveryOperations,
  jobOperations,
  postOperations,
  webhookOperations,
].flatMap((module) => Object.entries(module));

/** Ports whose methods are their names. */
const named = Object.fromEntries(
  keysOf(readMethods).map((port) => [port, new Proxy({}, { get: (_, method) => [port, method] })]),
) as unknown as Ports;

/** The port and the method that an operation calls. */
const methodOf = (operation: AnyOperation) =>
  (operation as Operation<unknown, unknown>).method(named) as unknown as readonly [PortName, string];

const isRead = (port: PortName, method: string) => (readMethods[port] as readonly string[]).includes(method);

test.each(operations)('%s is a read if its scope is for reading, otherwise a command', (_name, operation) => {
  const [port, method] = methodOf(operation);
  expect(isRead(port, method)).toBe(operation.scope.endsWith(':read'));
});

/** Ports that do what `outcome` does, with the workspaces that were invalidated. */
function ports(outcome: () => Promise<unknown>) {
  const invalidated: string[] = [];
  const steps: string[] = [];
  const methods = new Set(operations.map(([, operation]) => methodOf(operation).join('.')));
  for (const [port, reads] of entriesOf(readMethods)) for (const read of reads) methods.add(`${port}.${read}`);
  const bare: Record<string, Record<string, unknown>> = {};
  for (const each of methods) {
    const [port = '', method = ''] = each.split('.');
    bare[port] = {
      ...bare[port],
      [method]: async () => {
        steps.push('called');
        return outcome().finally(() => steps.push('settled'));
      },
    };
  }
  const wrapped = invalidatingPorts(bare as unknown as Ports, async ({ workspaceId }) => {
    steps.push('invalidated');
    invalidated.push(workspaceId);
  });
  return {
    wrapped: wrapped as unknown as Record<string, Record<string, (context: object) => Promise<unknown>>>,
    methods,
    invalidated,
    steps,
  };
}

const context = { caller: { workspaceId: 'w' } as Caller };

describe.each([...ports(async () => null).methods])('%s', (name) => {
  const [port = '', method = ''] = name.split('.');
  const invalidates = !isRead(port as PortName, method) && port !== 'deliveries';

  test('that succeeds', async () => {
    const { wrapped, invalidated, steps } = ports(async () => 'done');
    expect(await wrapped[port]?.[method]?.(context)).toBe('done');
    expect(invalidated).toEqual(invalidates ? ['w'] : []);
    expect(steps.slice(0, 2)).toEqual(['called', 'settled']);
  });

  test('that fails, having changed something or not', async () => {
    const failure = new Error('nobody knows');
    const { wrapped, invalidated } = ports(() => Promise.reject(failure));
    await expect(wrapped[port]?.[method]?.(context)).rejects.toBe(failure);
    expect(invalidated).toEqual(invalidates ? ['w'] : []);
  });
});

test('the backends have no method that the table or an operation does not know', async () => {
  const gateway = await startGateway();
  const known = ports(async () => null).methods;
  const all = keysOf(readMethods).flatMap((port) =>
    Object.entries(gateway.app.ports[port]).flatMap(([method, value]) =>
      typeof value === 'function' ? [`${port}.${method}`] : [],
    ),
  );
  expect(all.filter((method) => !known.has(method))).toEqual([]);
  expect(all.length).toBeGreaterThan(30);
  await gateway.close();
});
