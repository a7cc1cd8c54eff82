/** The commands, run as processes: their output, their effect on the database, and their error messages. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commands } from '../../src/app/cli/commands.ts';
import { accountTypes } from '../../src/auth/account.ts';
import { openToken } from '../../src/auth/account-repository.ts';
import { scopeNames } from '../../src/kernel/caller.ts';
import { openDatabase } from '../../src/store/database.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { graphql, startGateway } from '../support/gateway.ts';
import { runProcess, startProcess, startPrograms, temporaryDirectory } from '../support/process.ts';
import { rest } from '../support/rest.ts';
import { json, pnetPost, postList, proxyTo, startStub } from '../support/stub.ts';
import { testSecret, testVault } from '../support/webhooks.ts';

const viewer =
  '{ viewer { keyId name scopes accountIds expiresAt workspace { name } } accounts { nodes { accountId name type status } } }';

const programs = startPrograms();
afterAll(() => programs.close());

describe.each(databases)('commands on $name', (dialect) => {
  let database: TestDatabase;
  const key = (...args: string[]) => programs.run('src/app/cli/keys.ts', args, { DATABASE_URL: database.url });
  const account = (...args: string[]) => programs.run('src/app/cli/accounts.ts', args, { DATABASE_URL: database.url });

  beforeEach(async () => {
    database = await dialect.withSchema();
  });
  afterEach(() => database.drop());

  test('a key is created with its workspace, is shown once, works, and prevents the demo', async () => {
    const created = await key('create', '--workspace', 'Acme', '--name', 'Backend', '--expires', '30d');
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^postern_[\w-]{43}\n$/) });
    const secret = created.stdout.trim();
    const keyId = /^Created the key (\S+) of the workspace "Acme"/.exec(created.stderr)?.[1];
    const note = 'Created the workspace "Acme", because none had this name.';
    expect(created.stderr).toContain(note);
    expect((await account('connect', '--workspace', 'Acmee', '--type', 'PNET')).stderr).toContain(
      'the workspace "Acmee"',
    );
    expect((await key('create', '--workspace', 'Acme', '--name', 'Other')).stderr).not.toContain(note);

    const listed = await key('list');
    expect(listed.stdout).toMatch(new RegExp(`^${keyId}\\s+Acme\\s+Backend\\s+all\\s+all\\s.*\\svalid$`, 'm'));
    expect(listed.stdout + listed.stderr + created.stderr).not.toContain(secret.slice('postern_'.length));

    const gateway = await startGateway({ environment: { DATABASE_URL: database.url, DEMO: 'on' } });
    try {
      gateway.clock.now = new Date();
      const { data, errors } = await graphql(gateway.address, secret, viewer);
      expect(errors).toEqual([]);
      expect(data).toMatchObject({
        viewer: { keyId, name: 'Backend', accountIds: null, workspace: { name: 'Acme' } },
        accounts: { nodes: [] },
      });
      expect(data.viewer.scopes).toHaveLength(scopeNames.length);
      const days = (Date.parse(data.viewer.expiresAt) - Date.now()) / 86_400_000;
      expect(days).toBeCloseTo(30, 1);
      const workspaces = await gateway.app.database.selectFrom('workspaces').select('name').execute();
      expect(workspaces).toHaveLength(2);

      expect(await key('revoke', keyId as string)).toMatchObject({ code: 0, stdout: `Revoked the key ${keyId}.\n` });
      const refusal = async () => (await graphql(gateway.address, secret, viewer)).errors?.[0]?.extensions.code;
      // A gateway on SQLite hears of it within a second.
      await expect.poll(refusal).toBe('INVALID_CREDENTIALS');
    } finally {
      await gateway.close();
    }
    expect((await key('list')).stdout).toMatch(/ revoked$/m);
    const again = await key('revoke', keyId as string);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain(`No key to revoke has the id ${keyId}`);
  });

  test('an account is connected with a token, which the secret of the database seals and no argument shows', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'token');
    await writeFile(file, 'of a file\n');
    const environment = { DATABASE_URL: database.url, SECRET: testSecret };
    const connect = ['src/app/cli/accounts.ts', ...acmeAccount, '--token-file'];
    const options = { input: 'of standard input', encoding: 'utf8', env: { ...process.env, ...environment } } as const;
    const runs = [file, '-'].map((from) => spawnSync(process.execPath, [...connect, from], options));
    expect(runs.map(({ status }) => status)).toEqual([0, 0]);
    const connection = await openDatabase(database.location);
    const accounts = await connection.selectFrom('accounts').select(['id', 'session']).orderBy('created_at').execute();
    await connection.destroy();
    for (const { session } of accounts) expect(session).toMatch(/^sealed1:/);
    expect(accounts.map((each) => openToken(testVault, each))).toEqual(['of a file', 'of standard input']);
    const { id = '' } = accounts[0] ?? {};
    const again = await programs.run('src/app/cli/accounts.ts', [...connect.slice(1), '-', '--id', id], environment);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('--token-file has no token') });
    const upstream = { ...environment, UPSTREAM_URL: 'http://127.0.0.1:1' };
    const elsewhere = await programs.run('src/app/cli/accounts.ts', [...connect.slice(1), file], upstream);
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The service at UPSTREAM_URL connects'),
    });
    const known = await programs.run('src/app/cli/accounts.ts', [...connect.slice(1), file, '--id', id], environment);
    expect(known).toMatchObject({ code: 0, stdout: `${id}\n` });

    const other = await programs.run('src/app/cli/accounts.ts', [...acmeAccount, '--token-file', file], {
      ...environment,
      SECRET: 'another secret than that of the database',
    });
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('SECRET is not the one') });
  });

  test('an account is connected, listed without its session, used, and a key can be limited to it', async () => {
    const connected = await account('connect', '--workspace', 'Acme', '--type', 'PNET', '--name', 'Mara');
    expect(connected).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\w-]{22}\n$/) });
    const accountId = connected.stdout.trim();
    const broken = await account('connect', '--workspace', 'Acme', '--type', 'PNET', '--session', 'network_down');
    const elsewhere = await account('connect', '--workspace', 'Other', '--type', 'PNET');
    const all = await account('list');
    expect(all.stdout).toMatch(new RegExp(`^${accountId}\\s+Acme\\s+PNET\\s+OK\\s+Mara$`, 'm'));
    expect(all.stdout).toContain('Other');
    expect(all.stdout).not.toContain('sandbox:');
    const some = await account('list', '--workspace', 'Acme');
    expect(some.stdout).toContain(broken.stdout.trim());
    expect(some.stdout).not.toContain('Other');

    const foreign = await key('create', '--workspace', 'Acme', '--name', 'x', '--accounts', elsewhere.stdout.trim());
    expect(foreign).toMatchObject({ code: 1, stdout: '' });
    expect(foreign.stderr).toContain('--accounts names');
    const limited = await key(...acme, '--accounts', accountId, '--scopes', 'posts:read,accounts:read');
    const gateway = await startGateway({ environment: { DATABASE_URL: database.url } });
    try {
      const secret = limited.stdout.trim();
      const seen = await graphql(gateway.address, secret, viewer);
      expect(seen.data).toMatchObject({
        viewer: { scopes: ['POSTS_READ', 'ACCOUNTS_READ'], accountIds: [accountId], expiresAt: null },
        accounts: { nodes: [{ accountId, name: 'Mara', type: 'PNET', status: 'OK' }] },
      });
      const posts = `{ posts(accountId: "${accountId}", identifier: "ACoSandbox1") { nodes { __typename } } }`;
      expect((await graphql(gateway.address, secret, posts)).data.posts.nodes).toEqual([{ __typename: 'PnetPost' }]);
    } finally {
      await gateway.close();
    }
  });

  test('a key that cannot be created leaves nothing behind', async () => {
    const failed = await key('create', '--workspace', 'Acme', '--name', 'x', '--accounts', 'A'.repeat(22));
    expect(failed.code).toBe(1);
    const opened = await openDatabase(database.location);
    expect(await opened.selectFrom('workspaces').selectAll().execute()).toEqual([]);
    await opened.destroy();
  });

  test('two keys that are created at once share one workspace', async () => {
    const create = (name: string) =>
      runProcess('src/app/cli/keys.ts', ['create', '--workspace', 'Acme', '--name', name], {
        DATABASE_URL: database.url,
      });
    const both = await Promise.all(['a', 'b'].map(create));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const opened = await openDatabase(database.location);
    expect(await opened.selectFrom('workspaces').select('name').execute()).toEqual([{ name: 'Acme' }]);
    await opened.destroy();
  });
});

test('a database that a command creates is named, and one that exists is not', async () => {
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'postern.db');
  const list = () => programs.run('src/app/cli/keys.ts', ['list'], { DATABASE_URL: `sqlite:${file}` });
  const created = `Created the database ${file}, because DATABASE_URL led to none.\n`;
  expect(await list()).toMatchObject({ code: 0, stderr: created });
  expect(await list()).toMatchObject({ code: 0, stderr: '' });
});

test('in proxy mode, a key is limited to accounts of the service', async () => {
  const service = await startStub((_request, response) => json(response, 200, postList([pnetPost('ACo1')])));
  await using directory = await temporaryDirectory();
  const environment = {
    DATABASE_URL: `sqlite:${join(directory.path, 'postern.db')}`,
    UPSTREAM_URL: service.url,
    UPSTREAM_API_KEY: 'ours',
  };
  const created = await programs.run('src/app/cli/keys.ts', [...acme, '--accounts', 'of the service'], environment);
  expect(created).toMatchObject({ code: 0 });
  const gateway = await proxyTo(service, { environment });
  const posts = async (accountId: string) => {
    const path = `/v1/users/ACo1/posts?account_id=${encodeURIComponent(accountId)}`;
    return (await rest(gateway.address, created.stdout.trim(), 'GET', path)).body;
  };
  expect(await posts('of the service')).toMatchObject({ object: 'PostList' });
  expect(await posts('another')).toMatchObject({ type: 'errors/account_mismatch' });
  expect(service.received).toHaveLength(1);
  await gateway.close();
});

const files: Readonly<Record<string, string>> = {
  key: 'src/app/cli/keys.ts',
  account: 'src/app/cli/accounts.ts',
  sandbox: 'src/app/cli/sandbox.ts',
  migrate: 'src/app/cli/migrate.ts',
  backup: 'src/app/cli/backup.ts',
  restore: 'src/app/cli/restore.ts',
  schema: 'src/app/cli/schema.ts',
};

const acme = ['create', '--workspace', 'Acme', '--name', 'x'];
const acmeAccount = ['connect', '--workspace', 'Acme', '--type', 'PNET'];

/** [the command, its arguments, a part of the one line that it prints] */
const mistakes: readonly (readonly [string, readonly string[], string])[] = [
  ['key', ['create', '--name', 'x'], '--workspace is required'],
  [
    'key',
    [...acme, '--scopes', 'posts:write'],
    `--scopes must be one of ${scopeNames.join(', ')}, but is "posts:write"`,
  ],
  ['key', [...acme, '--accounts', ','], '--accounts must be a list such as one,two without empty entries'],
  ['key', [...acme, '--expires', 'soon'], '--expires must be a date such as 2027-01-31'],
  ['key', [...acme, '--expires', '2001-01-01'], '--expires must be in the future, but is "2001-01-01"'],
  ['key', [...acme, '--expire', '30d'], "Unknown option '--expire'. See --help."],
  ['key', [...acme, 'more'], '"more" is not expected here. See --help.'],
  ['key', ['revoke'], 'revoke needs the id of a key: see "npx postern key list"'],
  [
    'account',
    ['connect', '--workspace', 'Acme', '--type', 'pnet'],
    `--type must be one of ${accountTypes.join(', ')}, but is "pnet"`,
  ],
  ['account', [...acmeAccount, '--session', 'bad'], '--session must be one of ok, '],
  [
    'account',
    [...acmeAccount, '--session', 'ok', '--token-file', 'token'],
    '--token-file is for a network, --session for a simulated one: leave one out.',
  ],
  ['account', [...acmeAccount, '--id', 'x'], '--id needs a new token: give --token-file, or --session'],
  [
    'account',
    [...acmeAccount, '--id', 'x', '--session', 'ok'],
    'The workspace has no account of type PNET with the id',
  ],
  ['account', [...acmeAccount, '--token-file', 'nowhere'], '--token-file cannot be read: ENOENT at nowhere.'],
  ['sandbox', ['emit', 'users'], 'emit needs a source and an event: see "npx postern sandbox events"'],
  ['sandbox', ['emit', 'users', 'nothing'], '<event> must be one of new_relation, but is "nothing"'],
  ['sandbox', ['emit', 'users', 'new_relation'], 'No account is connected yet'],
  ['sandbox', ['emit', 'users', 'new_relation', '--account', 'x'], '--account names x, which is not an account'],
  ['backup', [], 'backup needs a folder to create: npx postern backup <folder>.'],
  ['restore', [], 'restore needs the folder of a backup: npx postern restore <folder>.'],
  ['restore', ['nowhere'], 'nowhere is not a backup'],
  ['migrate', ['--chek'], "Unknown option '--chek'. See --help."],
];

const launcher = 'src/app/postern.js';

describe('postern', () => {
  test('--help lists every command with a sentence, and so does no command', async () => {
    for (const args of [['--help'], ['-h'], ['help'], []]) {
      const { code, stdout, stderr } = await programs.run(launcher, args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const [name, { about }] of Object.entries(commands)) {
        expect(stdout).toMatch(new RegExp(`^  ${name} +${about.replaceAll('.', '\\.')}$`, 'm'));
      }
    }
  });

  test.each(['--version', '-v'])('%s prints the version of the package', async (flag) => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await programs.run(launcher, [flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('each command has a help of its own', async () => {
    const own = startPrograms();
    for (const name of Object.keys(commands)) {
      // The launcher gives its process to the gateway.
      const run = name === 'start' ? runProcess(launcher, [name, '--help'], {}) : own.run(launcher, [name, '--help']);
      expect(await run).toEqual({ code: 0, stdout: expect.stringContaining(`npx postern ${name}`), stderr: '' });
    }
    await own.close();
  });

  test.each([
    ['kye', 'There is no command "kye". Did you mean key? See npx postern --help.'],
    ['shema', 'There is no command "shema". Did you mean schema? See npx postern --help.'],
    ['constructor', 'There is no command "constructor". See npx postern --help.'],
    ['\u001b[2J', 'There is no command "\\u001b[2J". See npx postern --help.'],
  ])('%j does not exist, and exits with 2', async (name, line) => {
    expect(await programs.run(launcher, [name])).toEqual({ code: 2, stdout: '', stderr: `${line}\n` });
  });

  test.each(Object.entries(commands).flatMap(([name, { words }]) => (words === undefined ? [] : [{ name, words }])))(
    '$name takes the words that are completed',
    async ({ name, words }) => {
      const { code, stderr } = await programs.run(launcher, [name, 'nothing']);
      expect(code).toBe(1);
      expect(stderr).toContain(`must be one of ${words.join(', ')}`);
    },
  );

  test('a command has its arguments, and its exit code', async () => {
    const environment = { DATABASE_URL: 'sqlite::memory:' };
    const pending = await runProcess(launcher, ['migrate', '--check'], environment);
    expect(pending).toMatchObject({ code: 1, stdout: expect.stringContaining('PENDING') });
    const created = await runProcess(launcher, ['key', ...acme], environment);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^postern_/) });
  });

  test('start has the flags of npm start, and ends with its signal', async () => {
    const flags = /node (.*) src/.exec(JSON.parse(await readFile('package.json', 'utf8')).scripts.start)?.[1];
    expect(await readFile(launcher, 'utf8')).toContain(flags?.split(' ').join("', '"));
    const environment = { PORT: '0', DATABASE_URL: 'sqlite::memory:', DEMO: 'off', SECRET: 'x'.repeat(32) };
    const started = startProcess(launcher, ['start'], environment);
    await started.line(/GraphiQL and GraphQL/);
    started.child.kill('SIGTERM');
    expect((await started.ended).code).toBe(0);
  });

  /** As an older Node.js, which has no `execve`. */
  const asOld = (version: string, execPath: string, ...args: string[]) => {
    const pretence = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); process.execve = undefined; process.execPath = ${JSON.stringify(execPath)};`;
    return spawnSync(process.execPath, ['--import', `data:text/javascript,${pretence}`, launcher, ...args], {
      encoding: 'utf8',
    });
  };

  test.skipIf(!existsSync('node_modules/.bin/node'))('an old Node.js starts the one of the project', () => {
    for (const [args, code, text] of [
      [['kye'], 2, 'Did you mean key?'],
      [['start', '--help'], 0, 'npx postern start'],
    ] as const) {
      const { status, stdout, stderr } = asOld('20.20.2', '/bin/sh', ...args);
      expect({ status, said: stdout + stderr }).toEqual({ status: code, said: expect.stringContaining(text) });
    }
    const { status, stderr } = asOld('22.18.9', process.execPath, 'key', 'list');
    expect([status, stderr]).toEqual([1, 'Postern needs Node.js 22.19 or newer, and this is 22.18.9.\n']);
  });

  test('completions are those of the table', async () => {
    const { stdout: script } = await runProcess(launcher, ['completions', 'bash'], {});
    const complete = (...words: string[]) => {
      const typed = words.map((word) => `'${word}'`).join(' ');
      const asked = `${script}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _postern; echo "\${COMPREPLY[*]}"`;
      return spawnSync('bash', ['-c', asked], { encoding: 'utf8' }).stdout.trim();
    };
    expect(complete('postern', '')).toBe(`${Object.keys(commands).join(' ')} --help`);
    expect(complete('postern', 'mi')).toBe('migrate');
    expect(complete('postern', 'key', '')).toBe('create list revoke --help');
    expect(complete('postern', 'key', 're')).toBe('revoke');
    // Files, as the shell completes them.
    expect(complete('postern', 'backup', 'x')).toBe('');
    const { stdout: zsh } = await runProcess(launcher, ['completions', 'zsh'], {});
    for (const [name, { about }] of Object.entries(commands)) expect(zsh).toContain(`'${name}:${about}'`);
    expect(zsh).toContain('key) compadd create list revoke ;;');
  });
});

test.each(mistakes)('the mistake %s %j says %s', async (command, args, line) => {
  const { code, stdout, stderr } = await programs.run(files[command] ?? '', args, { DATABASE_URL: 'sqlite::memory:' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(line);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).not.toMatch(/^\w*Error: /);
});

test.each(Object.keys(files))(
  '%s --help prints its usage, and the environment variables that it reads',
  async (command) => {
    const help = await programs.run(files[command] ?? '', ['--help'], { DATABASE_URL: 'nonsense' });
    expect(help).toEqual({ code: 0, stdout: expect.stringContaining(`npx postern ${command}`), stderr: '' });
    if (command !== 'schema') expect(help.stdout).toContain('DATABASE_URL');
  },
);
