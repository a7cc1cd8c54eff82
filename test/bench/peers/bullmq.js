/**
 * Deliveries as jobs of BullMQ, as its documentation shows: attempts with exponential backoff, several jobs at once in one
 * worker. Completed jobs are kept, which is its default and what Postern does.
 */
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { orderOf, serve } from '../deliveries/serve.ts';
import { jobOf, post } from './post.js';

const { role, place, urls, concurrency } = orderOf(process.argv);
const { hostname: host, port, pathname } = new URL(place);
const connection = { host, port: Number(port || 6379), maxRetriesPerRequest: null };
const name = pathname.slice(1);
const queue = new Queue(name, { connection });
const options = { attempts: 10, backoff: { type: 'exponential', delay: 5_000 } };
const jobsOfBatch = 500;

if (role === 'worker') {
  const worker = new Worker(name, ({ data }) => post(data), { connection, concurrency });
  worker.on('error', (error) => process.stderr.write(`${error.stack}\n`));
  await worker.waitUntilReady();
}
await queue.waitUntilReady();
const client = new Redis(connection);

serve({
  async fill(count) {
    await queue.pause();
    for (let n = 0; n < count; n += jobsOfBatch) {
      const numbers = Array.from({ length: Math.min(jobsOfBatch, count - n) }, (_, i) => n + i);
      await queue.addBulk(
        numbers.map((each) => ({ name: 'deliver', data: jobOf(urls[each % urls.length], each), opts: options })),
      );
    }
  },
  async release() {
    await queue.resume();
    return performance.timeOrigin + performance.now();
  },
  wake() {},
  async settled() {
    for (;;) {
      const counts = await queue.getJobCounts('active', 'waiting', 'delayed', 'paused');
      if (Object.values(counts).every((count) => count === 0)) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  emit: (n) => queue.add('deliver', jobOf(urls[0], n), options),
  async serverCpu() {
    const text = await client.info('cpu');
    const of = (field) => Number(new RegExp(`${field}:([\\d.]+)`).exec(text)?.[1]) * 1_000_000;
    return of('used_cpu_user') + of('used_cpu_sys');
  },
  async durability() {
    const [, save] = await client.config('GET', 'save');
    const [, appendOnly] = await client.config('GET', 'appendonly');
    if (save === '' && appendOnly === 'no') return 'Redis keeps nothing on disk: its jobs are gone when it ends';
    return `Redis with appendonly ${appendOnly}, save "${save}"`;
  },
  async remove() {
    await queue.obliterate({ force: true });
    await queue.close();
  },
});
