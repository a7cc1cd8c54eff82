/** How long the largest and worst inputs hold the event loop: `node test/bench/inputs.ts [shapes|rest|graphql]`. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { endpoints } from '../../src/rest/endpoints.ts';
import { startGateway } from '../support/gateway.ts';
import { fields, hostile, operations, placesOf } from '../support/hostile-inputs.ts';

const [part = 'all'] = process.argv.slice(2);
const results: { readonly ms: number; readonly bytes: number; readonly what: string }[] = [];
const note = (ms: number, bytes: number, what: string) => results.push({ ms: Math.round(ms), bytes, what });
function report(title: string): void {
  results.sort((a, b) => b.ms - a.ms);
  process.stdout.write(`${title}: ${results.length} inputs; the worst hold the event loop for\n`);
  for (const { ms, bytes, what } of results.slice(0, 8))
    process.stdout.write(`  ${ms} ms (answer of ${bytes} bytes): ${what}\n`);
  results.length = 0;
}

if (part === 'all' || part === 'shapes') {
  for (const [name, { shape, check }] of operations) {
    for (const place of placesOf(shape)) {
      for (const [what, value] of Object.entries(hostile[place.kind])) {
        const request = place.with(value);
        const started = performance.now();
        try {
          check(request);
        } catch {}
        note(performance.now() - started, 0, `${name}, ${place.name}, ${what}`);
      }
    }
  }
  report('shapes');
}

const gateway = await startGateway({ environment: { LOG_LEVEL: 'silent' } });
const { key } = await gateway.workspace();

/** The longest that a timer of a millisecond waited while the body, which is ready, was sent and answered. */
async function measure(what: string, method: string, path: string, body: string): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await new Promise((resolve) => setTimeout(resolve, 3));
  delay.enable();
  const response = await fetch(gateway.address + path, {
    method,
    body,
    headers: { 'content-type': 'application/json', 'x-api-key': key },
  });
  const { length } = await response.text();
  await new Promise((resolve) => setTimeout(resolve, 3));
  delay.disable();
  note(delay.max / 1e6, length, what);
}

if (part === 'all' || part === 'rest') {
  for (const endpoint of endpoints.filter(({ body }) => body)) {
    for (const place of placesOf(endpoint.operation.shape)) {
      for (const [what, value] of Object.entries(hostile[place.kind])) {
        const path = `/v1${endpoint.path.replaceAll(/\{\w+\}/g, '123')}`;
        await measure(
          `${endpoint.method} ${endpoint.path}, ${place.name}, ${what}`,
          endpoint.method,
          path,
          JSON.stringify(place.with(value)),
        );
      }
    }
  }
  report('REST');
}
if (part === 'all' || part === 'graphql') {
  for (const { name, document, places } of fields) {
    for (const place of places) {
      for (const [what, value] of Object.entries(hostile[place.kind])) {
        await measure(
          `${name}, ${place.name}, ${what}`,
          'POST',
          '/graphql',
          JSON.stringify({ query: document, variables: place.with(value) }),
        );
      }
    }
    if (process.env.VERBOSE) report(name);
  }
  report('GraphQL');
}
await gateway.close();
