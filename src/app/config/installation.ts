import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import type { DatabaseLocation } from '../../store/database.ts';
import type { UpstreamSettings } from '../../upstream/settings.ts';

/**
 * A name of an installation, for what several of them store in one place: the same in all processes that serve the same data. It
 * is made of the addresses of the data and not of secrets, which can be changed while processes with the former ones still run.
 */
export function installationName(database: DatabaseLocation, upstream: UpstreamSettings | null): string {
  const service = upstream && [upstream.origin, upstream.basePath];
  return hash('sha256', JSON.stringify([addressOf(database), service]), 'base64url').slice(0, 16);
}

/** Without users and settings, which processes that share a database may have of their own. */
function addressOf(database: DatabaseLocation): readonly string[] {
  if (database.kind === 'sqlite') return [resolve(database.file)];
  const { hostname, port, pathname, username, searchParams } = new URL(database.url);
  const name = pathname.slice(1) || username;
  return [(searchParams.get('host') ?? hostname).toLowerCase(), searchParams.get('port') ?? (port || '5432'), name];
}
