import { parseIntoClientConfig } from 'pg-connection-string';
import { expect, test, vi } from 'vitest';
import { withPlainMode } from '../../src/store/postgres-client.ts';

const modes: Readonly<Record<string, unknown>> = {
  '': undefined,
  'sslmode=disable': false,
  'sslmode=prefer': {},
  'application_name=a%2Bb&sslmode=require': {},
  'sslmode=verify-ca': {},
  'sslmode=verify-full': {},
  'sslmode=no-verify': { rejectUnauthorized: false },
  'uselibpqcompat=true&sslmode=require': { rejectUnauthorized: false },
};

test.each(Object.entries(modes))('TLS to Postgres, without a word of the driver: %s', (query, ssl) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const config = parseIntoClientConfig(withPlainMode(`postgres://u:p%2Fw@db.example/postern?${query}`));
  expect(config.ssl === undefined ? undefined : config.ssl).toEqual(ssl);
  expect(config).toMatchObject({ password: 'p/w', host: 'db.example' });
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
