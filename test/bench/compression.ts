/** The cost and the gain of compression, by the encodings that the client accepts. See turns.ts for how it is measured. */
import { startPosternTarget } from './targets.ts';
import { compareVariants, type Variant } from './turns.ts';

const variant = (name: string, COMPRESSION: 'off' | 'on', accepted: string): Variant => ({
  name,
  headers: { 'accept-encoding': accepted },
  // The threads that compress are not the gateway's: on one core they would stand in its way.
  start: (upstream, directory) => startPosternTarget({ COMPRESSION }, { upstream, directory, onOneCore: false }),
});

await compareVariants([
  variant('off', 'off', 'gzip, zstd'),
  variant('on, nothing accepted', 'on', 'identity'),
  variant('gzip', 'on', 'gzip'),
  variant('zstd', 'on', 'zstd'),
]);
