/**
 * A gateway in a process of its own that emits without pause, to be killed at any moment. It writes the
 * acknowledged events to its standard output: a line for each, written before the next one is emitted.
 *
 *   node test/support/crashing-gateway.ts <database url> <prefix of the events> <emitters, 0 for a worker alone>
 *     <lease in milliseconds> <pause of an emitter after each event, 0 for one now and then>
 */
import { writeSync } from 'node:fs';
import { benchGateway } from '../bench/gateway.ts';

const [url = '', prefix = '', emitters = '4', leaseMs = '5000', pauseMs = '0'] = process.argv.slice(2);
const gateway = await benchGateway(url, { deadlineMs: 2_000, leaseMs: Number(leaseMs), pollMs: 200 });
writeSync(1, 'ready\n');

await Promise.all(
  Array.from({ length: Number(emitters) }, async (_, emitter) => {
    for (let n = 0; ; n += 1) {
      const id = `${prefix}-${emitter}-${n}`;
      await gateway.emit(id);
      // Synchronously: what was written is with the reader, whatever happens to this process next.
      writeSync(1, `${id}\n`);
      // A pause now and then, so that there are moments with little and with much on its way.
      const pause = Number(pauseMs) || (n % 8 === 0 ? 5 : 0);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }),
);
