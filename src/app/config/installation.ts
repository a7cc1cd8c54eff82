import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import type { DatabaseLocation } from '../../store/database.ts';
import type { UpstreamSettings } from '../../upstream/settings.ts';

/**
 * A name for data of several installations in one place, equal in all processes on the same data. Made of addresses,
 * not of secrets, which change while processes with the former ones still run.
 */
export function installationName(database: DatabaseLocation, upstream: UpstreamSettings | null): string {
  const service = upstream && [upstream.origin, upstream.basePath];
  return hash('sha256', JSON.stringify([hostAddressOf(database), service]), 'base64url').slice(0, 16);
}

/** Without users and settings, which may differ between processes. */
function hostAddressOf(database: DatabaseLocation): readonly string[] {
  if (database.kind === 'sqlite') return [resolve(database.file)];
  const { hostname, port, pathname, username, searchParams } = new URL(database.url);
  const name = pathname.slice(1) || username;
  return [(searchParams.get('host') ?? hostname).toLowerCase(), searchParams.get('port') ?? (port || '5432'), name];
}
