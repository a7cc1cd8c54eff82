/**
 * What is used of undici, from its files: its index loads fetch, WebSockets, caches and mocks too, 90 modules and 3 MiB that every
 * process would keep. Loaded with its first use: it brings node:tls and node:http2, and a gateway that delivers nothing needs
 * none of them.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const undici: Pick<typeof import('undici'), 'Pool' | 'buildConnector'> & { readonly kParser: symbol } = {
  get Pool() {
    return require('undici/lib/dispatcher/pool.js');
  },
  get buildConnector() {
    return require('undici/lib/core/connect.js');
  },
  get kParser() {
    return require('undici/lib/core/symbols.js').kParser;
  },
};
