/**
 * The cost and the gain of the response cache: a gateway without one, with a hit and with a miss, and a proxy that forwards bytes.
 *
 * TEST_REDIS_URL includes Redis. What Redis itself needs is not counted. See turns.ts for the rest.
 */
import { startTarget, type TargetName } from './targets.ts';
import { compareVariants, type Variant } from './turns.ts';

const variant = (name: string, target: TargetName, { same }: { readonly same: boolean }): Variant => ({
  name,
  same,
  start: (upstream, directory) => startTarget(target, upstream, directory),
});

// Where all requests are about one list, all but the first are hits.
const [hit, miss] = [{ same: true }, { same: false }];

await compareVariants([
  variant('proxy, bytes forwarded', 'bytes', miss),
  variant('off', 'postern', miss),
  variant('memory, a miss', 'cached', miss),
  variant('memory, a hit', 'cached', hit),
  ...(process.env.TEST_REDIS_URL === undefined
    ? []
    : [variant('redis, a miss', 'redis', miss), variant('redis, a hit', 'redis', hit)]),
]);
