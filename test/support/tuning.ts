/** Settings that have no variable: a test cannot wait for 16 MiB, or for 120 calls. */
import type { Config } from '../../src/app/config/config.ts';
import { isObject } from '../../src/kernel/lib/objects.ts';
import { type PostgresSettings, postgresDefaults } from '../../src/store/postgres-settings.ts';

export interface Tuning {
  readonly rateLimits?: Partial<Config['rateLimits']>;
  readonly streams?: Partial<Config['streams']>;
  readonly upstream?: Partial<Config['upstream']>;
  readonly maxResponseBytes?: number;
  readonly dnsServers?: readonly string[];
  readonly postgres?: Partial<PostgresSettings>;
}

/** @param config as it was read */
export function tuned(config: Config, { postgres, ...others }: Tuning): Config {
  const changes = Object.entries(others).map(([name, change]) => {
    const before: unknown = Reflect.get(config, name);
    return [name, isObject(change) && isObject(before) ? { ...before, ...change } : change];
  });
  const { database } = config;
  const settings = { ...postgresDefaults, ...postgres };
  return {
    ...config,
    ...Object.fromEntries(changes),
    database: postgres && database.kind === 'postgres' ? { ...database, settings } : database,
  };
}
