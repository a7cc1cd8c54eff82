/** The README's clients with trusted documents: their files, changed as that section says, and the manifests that their tools write. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { sectionOf, snippet, snippetFiles } from '../support/docs.ts';
import { startGateway } from '../support/gateway.ts';
import { type ReadersProject, readersProject } from './readers-project.ts';

/** The section without its blocks of code. */
const prose = sectionOf('Trusted documents').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
/** Code of the section that begins in a way. */
const told = (beginning: string): string => {
  const code = [...prose.matchAll(/`([^`]+)`/g)]
    .map(([, each = '']) => each)
    .find((each) => each.startsWith(beginning));
  if (code === undefined) throw new Error(`The section has no code that begins with ${beginning}`);
  return code;
};
/** A file with changes. @throws Error if it has nothing to change */
const change = (name: string, file: string, ...changes: readonly (readonly [string, string])[]): string =>
  changes.reduce((text, [before, after]) => {
    if (!text.includes(before)) throw new Error(`${name} has no ${before}`);
    return text.replace(before, after);
  }, file);
/** A file of the README with changes. */
const changed = (heading: string, name: string, ...changes: readonly (readonly [string, string])[]): string =>
  change(name, snippetFiles(heading)[name] ?? '', ...changes);
const examples = join(import.meta.dirname, '../../examples');
const importing = (what: string) => ['\nimport', `\nimport ${what};\nimport`] as const;
const trusted = importing("{ idOf } from './trusted.ts'");

async function projectOf(...headings: readonly string[]): Promise<ReadersProject> {
  const project = await readersProject(...headings, 'Trusted documents');
  onTestFinished(() => project.close());
  return project;
}

/** Starts a gateway that executes nothing but a manifest, and runs a program that finds it in place of the project's. */
async function runTrusted(project: ReadersProject, manifest: string, program: string): Promise<unknown> {
  const gateway = await startGateway({ environment: { DEMO: 'on', DOCUMENTS: join(project.directory, manifest) } });
  onTestFinished(() => gateway.close());
  const key = (await readFile(join(gateway.directory, 'demo-key'), 'utf8')).trim();
  const preamble = `const { fetch } = globalThis;
    process.env.POSTERN_KEY = '${key}';
    globalThis.fetch = (url, init) => fetch(String(url).replace('${project.gateway.address}', '${gateway.address}'), init);
    const { default: run } = await import('./program.ts');
    console.log(JSON.stringify(await run()));
    process.exit();`;
  await writeFile(join(project.directory, 'program.ts'), program);
  await writeFile(join(project.directory, 'trusted-start.mjs'), preamble);
  return JSON.parse(await project.run('trusted-start.mjs'));
}

const posts = `posts(accountId: "pnet-----------------A", identifier: $identifier, first: 1) {
  edges { node { ... on NetworkPost { id text author { id name } } } }
}`;
const job = 'jobPostingUpdated(jobIds: ["2001"]) { id state }';
const author = { name: 'Amara Lindqvist' };
const expected = [{ posts: { edges: [{ node: { text: expect.any(String), author } }] } }, { state: 'ACTIVE' }];

test('GraphQL Code Generator, with postern.ts, Apollo Client and urql', async () => {
  const project = await projectOf();
  const codegen = changed(
    'TypeScript',
    'codegen.ts',
    importing("{ addTypenameSelectionDocumentTransform } from '@graphql-codegen/client-preset'"),
    ['fragmentMasking: false', `fragmentMasking: false, ${told('persistedDocuments: ')}`],
    ['presetConfig:', `${told('documentTransforms: ')},\n      presetConfig:`],
  );
  await project.write('settings.ts', snippetFiles('TypeScript')['settings.ts'] ?? '');
  await project.write('codegen.ts', codegen);
  await project.write(
    'postern.ts',
    changed('TypeScript', 'postern.ts', trusted, [
      '{ query: print(document), variables }',
      told("{ query: '', documentId: idOf"),
    ]),
  );
  const headers = "headers: { authorization: 'Bearer ' + process.env.POSTERN_KEY }";
  await project.write(
    'apollo.ts',
    `import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
    import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
    import { apolloCache } from 'postern/client';
    import { idOf } from './trusted.ts';
    const http = new HttpLink({ uri: 'http://127.0.0.1:4000/graphql', ${headers} });
    export const client = new ApolloClient({ link: ${told('new PersistedQueryLink(')}.concat(http), cache: new InMemoryCache(apolloCache) });
    export const dataOf = <Result extends { data?: unknown }>({ data }: Result) => data;`,
  );
  await project.write(
    'urql.ts',
    `import { Client, fetchExchange } from '@urql/core';
    import { persistedExchange } from '@urql/exchange-persisted';
    import { idOf } from './trusted.ts';
    export const client = new Client({
      url: 'http://127.0.0.1:4000/graphql',
      fetchOptions: { ${headers} },
      preferGetMethod: false,
      fetchSubscriptions: true,
      exchanges: [${told('persistedExchange(')}, fetchExchange],
    });
    export const dataOf = <Result extends { data?: unknown }>({ data }: Result) => data;`,
  );
  await project.write(
    'documents.ts',
    `import { graphql } from './gql/gql.ts';
    export const Posts = graphql(\`query Posts($identifier: String!) { ${posts} }\`);
    export const Job = graphql(\`subscription Job { ${job} }\`);
    export const variables = { identifier: 'ACoSandbox250' };`,
  );
  await project.command('graphql-codegen', '--config', 'codegen.ts');
  // ErrorCode is there, although no document of the reader selects one.
  expect(await project.compile()).toBe('');
  const run = (program: string) =>
    runTrusted(
      project,
      'gql/persisted-documents.json',
      `import { Job, Posts, variables } from './documents.ts';\n${program}`,
    );
  expect(
    await run(`import { ask, watch } from './postern.ts';
      export default async () => {
        for await (const { jobPostingUpdated } of watch(Job, {})) return [await ask(Posts, variables), jobPostingUpdated];
      };`),
  ).toMatchObject(expected);
  expect(
    await run(`import { client, dataOf } from './apollo.ts';
      export default async () => {
        const posts = dataOf(await client.query({ query: Posts, variables }));
        return [posts, await new Promise((go) =>
          client.subscribe({ query: Job }).subscribe(({ data }) => go(data?.jobPostingUpdated)))];
      };`),
  ).toMatchObject(expected);
  expect(
    await run(`import { client, dataOf } from './urql.ts';
      export default async () => {
        const posts = dataOf(await client.query(Posts, variables).toPromise());
        return [posts, await new Promise((go) =>
          client.subscription(Job, {}).subscribe(({ data }) => go(data?.jobPostingUpdated)))];
      };`),
  ).toMatchObject(expected);
});

test('Relay', async () => {
  const project = await projectOf();
  const config = JSON.parse(snippet('Relay', 'json'));
  const persisted = JSON.parse(`{${told('"persistConfig": ')}}`);
  await project.write('relay.config.json', JSON.stringify({ ...config, src: '.', ...persisted }));
  const schema = await fetch(`${project.gateway.address}/schema.graphql`);
  await project.write('gateway.graphql', await schema.text());
  await project.write(`${config.artifactDirectory}/.keep`, '');
  await promisify(execFile)('sh', ['-c', told("echo '{}'")], { cwd: project.directory });
  const environment = await readFile(join(examples, 'react-relay/src/environment.ts'), 'utf8');
  await project.write(
    'environment.ts',
    change(
      'environment.ts',
      environment,
      ['{ text }: RequestParameters', told('{ id }: ')],
      ["{ query: text ?? '', variables }", told("{ query: '', documentId: id,")],
    ),
  );
  // In the place of that of a page, and of the proxy, which adds the key.
  await project.write(
    'gateway.ts',
    `import { createClient } from 'graphql-sse';
    const { fetch: send } = globalThis;
    globalThis.fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('authorization', 'Bearer ' + process.env.POSTERN_KEY);
      return send(input, { ...init, headers });
    };
    export const url = 'http://127.0.0.1:4000/graphql';
    export const streams = createClient({ url });
    export const beginRead = () => () => {};
    export const waits = (_what: string) => (_isWaiting: boolean) => {};
    export const reportSkipped = (..._told: unknown[]) => {};`,
  );
  await project.write(
    'tags.ts',
    `import { graphql } from 'relay-runtime';
    graphql\`query tagsPostsQuery($identifier: String!) { ${posts} }\`;
    graphql\`subscription tagsJobSubscription { ${job} }\`;`,
  );
  await project.command('relay-compiler', '--noWatchman');
  expect(await project.compile()).toBe('');
  const program = `import { fetchQuery, requestSubscription } from 'relay-runtime';
    import { environment } from './environment.ts';
    import posts from './src/gql/tagsPostsQuery.graphql.ts';
    import job from './src/gql/tagsJobSubscription.graphql.ts';
    export default async () => [
      await fetchQuery(environment, posts, { identifier: 'ACoSandbox250' }).toPromise(),
      await new Promise((go, onError) => requestSubscription(environment, {
        subscription: job, variables: {}, onNext: (data) => go(data.jobPostingUpdated), onError,
      })),
    ];`;
  expect(await runTrusted(project, persisted.persistConfig.file, program)).toMatchObject(expected);
});
