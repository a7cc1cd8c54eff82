/**
 * Deliveries as jobs of graphile-worker, with its defaults or, with `batching`, as its page on performance advises: jobs
 * fetched into a local queue and completed in batches. It deletes completed jobs, and has no setting that keeps them.
 */
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { orderOf, serve } from '../deliveries/serve.ts';
import { jobOf, post } from './post.js';

const { role, place, urls, concurrency, mode } = orderOf(process.argv);
const logger = new Logger(() => (level, message) => {
  if (level === 'error') process.stderr.write(`${message}\n`);
});
const batching = { localQueue: { size: concurrency * 4 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
const preset = {
  worker: {
    connectionString: place,
    concurrentJobs: concurrency,
    logger,
    ...(mode === 'batching' ? batching : {}),
  },
};
const utils = await makeWorkerUtils({ preset });
await utils.migrate();
const pool = new pg.Pool({ connectionString: place, max: 1 });
if (role === 'worker') await run({ preset, taskList: { deliver: (job) => post(job) } });

const maxAttempts = 10;
const never = new Date('2100-01-01');
const jobsOfBatch = 500;

serve({
  async fill(count) {
    for (let n = 0; n < count; n += jobsOfBatch) {
      const numbers = Array.from({ length: Math.min(jobsOfBatch, count - n) }, (_, i) => n + i);
      await utils.addJobs(
        numbers.map((each) => ({
          identifier: 'deliver',
          payload: jobOf(urls[each % urls.length], each),
          runAt: never,
          maxAttempts,
        })),
      );
    }
  },
  async release() {
    const { rowCount } = await pool.query('update graphile_worker._private_jobs set run_at = now()');
    await pool.query(`select pg_notify('jobs:insert', $1)`, [JSON.stringify({ r: 'bench', count: rowCount })]);
    return performance.timeOrigin + performance.now();
  },
  wake() {},
  async settled() {
    for (;;) {
      const { rows } = await pool.query('select from graphile_worker._private_jobs limit 1');
      if (rows.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  emit: (n) => utils.addJob('deliver', jobOf(urls[0], n), { maxAttempts }),
});
