/** Opens the database and the backend of a configuration, each loaded on demand. */
import type { DeliveryRateLimits } from '../../capabilities/deliveries/limits.ts';
import type { Keyring } from '../../kernel/secrets/secret.ts';
import type { Config } from '../config/config.ts';
import type { Backend, Dependencies } from './backend.ts';
import type { Sealing, Storage } from './storage.ts';

/** Forwarded API keys need none, so that any number of replicas can run. */
const needsDatabase = ({ upstream }: Config): boolean => upstream === null || upstream.apiKey !== undefined;

export function requireStorage(storage: Storage | null): Storage {
  if (storage === null) throw new Error("A gateway that forwards its callers' API keys has no database");
  return storage;
}

export async function openStorageOf(
  config: Config,
  keyring: Keyring,
  dependencies: Dependencies,
): Promise<Storage | null> {
  if (!needsDatabase(config)) return null;
  const { database, responseCache } = config;
  const { openStorage } = await import('./storage.ts');
  return openStorage(database, {
    ...dependencies,
    tokenKeys: keyring('access-tokens'),
    isCachingInMemory: responseCache?.kind === 'memory',
  });
}

export async function openBackend(
  config: Config,
  storage: Storage | null,
  sealing: Sealing,
  dependencies: Dependencies & { readonly limits: DeliveryRateLimits },
): Promise<Backend> {
  if (config.upstream !== null) {
    const { upstreamBackend } = await import('./upstream-backend.ts');
    if (storage !== null) await storage.useSecret(sealing);
    return upstreamBackend(config.upstream, storage, dependencies);
  }
  const { embeddedBackend } = await import('./embedded-backend.ts');
  return embeddedBackend(requireStorage(storage), sealing, config, dependencies);
}
