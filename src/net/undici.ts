/**
 * What is used of undici, from its files: its index loads fetch, WebSockets, caches and mocks too, 90 modules and 3 MiB that every
 * process would keep.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const undici: Pick<typeof import('undici'), 'Pool' | 'buildConnector'> = {
  Pool: require('undici/lib/dispatcher/pool.js'),
  buildConnector: require('undici/lib/core/connect.js'),
};
