/** Programs and servers that some tests need, where the machine has them. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { canMount } from './mounts.ts';

/** The Postgres server in `TEST_POSTGRES_URL`. Each test creates its own database there. */
export const postgresUrl: string | undefined = process.env.TEST_POSTGRES_URL || undefined;

/** The same server, if it is one of this machine, with the user `postgres`. */
export const localPostgresUrl: string | undefined =
  postgresUrl !== undefined && /^(?:localhost|127\.0\.0\.1)$/.test(new URL(postgresUrl).hostname) && hasUser('postgres')
    ? postgresUrl
    : undefined;

function hasUser(name: string): boolean {
  return spawnSync('id', [name]).status === 0;
}

/** The Redis server in `TEST_REDIS_URL`. Tests have keys of their own there. */
export const redisUrl: string | undefined = process.env.TEST_REDIS_URL || undefined;

/** The path of Chromium: `CHROMIUM` if it is set, else the path of Debian's package. */
export const chromium: string | undefined = [process.env.CHROMIUM || '/usr/bin/chromium'].find((path) =>
  existsSync(path),
);

/** The path of curl, which runs the README's commands. */
export const curl: string | undefined = ['/usr/bin/curl', '/bin/curl', '/usr/local/bin/curl'].find((path) =>
  existsSync(path),
);

/** Whether a program can be run in namespaces of its own: of mounts, and of the network. */
export const hasNamespaces: boolean = spawnSync('unshare', ['--mount', '--net', 'ip', 'link']).status === 0;

/** Whether a database of the Postgres server can be dumped and restored with the tools of this machine. */
export const hasPostgresTools: boolean = postgresUrl !== undefined && has('pg_dump') && has('pg_restore');

/** Servers and tools whose configuration the README shows. */
export const hasNginx: boolean = has('nginx');
export const hasCaddy: boolean = has('caddy');
export const hasPgBouncer: boolean = localPostgresUrl !== undefined && has('pgbouncer');
export const hasSystemdAnalyze: boolean = has('systemd-analyze');

/** Without a cluster: it reads kustomizations, too. */
export const hasKubectl: boolean = has('kubectl');

/** Languages of samples. */
export const hasPython: boolean = has('python3');
export const hasGo: boolean = has('go');
export const hasPhp: boolean = has('php');
export const hasRuby: boolean = has('ruby');

function has(program: string): boolean {
  return (
    spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin` } })
      .status === 0
  );
}

/** What a run of the tests leaves out on this machine, and how to include it. */
export const leftOut: readonly string[] = [
  ...(postgresUrl === undefined ? ['everything on Postgres: set TEST_POSTGRES_URL=postgres://… to a server'] : []),
  ...(redisUrl === undefined
    ? ['responses and documents kept in Redis: set TEST_REDIS_URL=redis://… to a server']
    : []),
  ...(chromium === undefined
    ? ['GraphiQL and the page of webhooks in a browser: install Chromium, or set CHROMIUM to its path']
    : []),
  ...(postgresUrl !== undefined && localPostgresUrl === undefined
    ? ['a full disk of Postgres: set TEST_POSTGRES_URL to a server on this machine']
    : []),
  ...(canMount ? [] : ['full and read-only disks: run the tests as root on Linux']),
  ...(hasNamespaces ? [] : ['the name servers of resolv.conf: run as root, with unshare and ip']),
  ...(postgresUrl !== undefined && !hasPostgresTools ? ["backups with Postgres's tools: install pg_dump"] : []),
  ...(hasNginx ? [] : ['nginx in front of the gateway: install nginx']),
  ...(hasCaddy ? [] : ['Caddy in front of the gateway: install caddy']),
  ...(postgresUrl === undefined || hasPgBouncer ? [] : ['a pooler in front of Postgres: install PgBouncer']),
  ...(hasKubectl ? [] : ['what kustomize makes of the manifests: install kubectl']),
  ...(hasSystemdAnalyze ? [] : ['the unit of systemd: install systemd']),
  ...Object.entries({ Python: hasPython, Go: hasGo, PHP: hasPhp, Ruby: hasRuby }).flatMap(([language, isHere]) =>
    isHere ? [] : [`samples in ${language}: install its interpreter or compiler`],
  ),
  ...(curl === undefined ? ['the curl lines of the README: install curl'] : []),
];
