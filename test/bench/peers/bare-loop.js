/** The least that a sender could do: it signs and posts, and keeps nothing. What it has to send, it makes as it goes. */
import { orderOf, serve } from '../deliveries/serve.ts';
import { jobOf, post } from './post.js';

const { urls, concurrency } = orderOf(process.argv);
let loops = Promise.resolve();

serve({
  fill() {},
  release: () => performance.timeOrigin + performance.now(),
  wake(count) {
    let n = 0;
    const loop = async () => {
      while (n < count) {
        n += 1;
        await post(jobOf(urls[n % urls.length], n));
      }
    };
    loops = Promise.all(Array.from({ length: concurrency }, loop));
  },
  settled: async () => void (await loops),
  emit: (n) => post(jobOf(urls[0], n)),
});
