/** Relay's compiler against the published schema: Relay can paginate, refetch and delete what compiles. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const compiler = createRequire(import.meta.url).resolve('relay-compiler/cli.js');
const schemaFile = fileURLToPath(new URL('../../schema.graphql', import.meta.url));

// The compiler does not resolve imports, so react-relay need not be installed.
const source = (operations: readonly string[]) =>
  `import { graphql } from 'react-relay';\n${operations.map((text) => `graphql\`${text}\`;`).join('\n')}\n`;

const operations = [
  // A list on the query, and a list on the author of a post.
  `fragment app_posts on Query
    @argumentDefinitions(
      accountId: { type: "ID!" }
      identifier: { type: "String!" }
      count: { type: "Int", defaultValue: 20 }
      cursor: { type: "String" }
    )
    @refetchable(queryName: "appPostsPageQuery") {
    posts(accountId: $accountId, identifier: $identifier, first: $count, after: $cursor) @connection(key: "app_posts") {
      edges { cursor node { __typename ... on PnetPost { id text ...app_author @alias } ... on PhotonetPost { id reactionCount } } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  `fragment app_author on PnetPost {
    author { id name posts(first: 3) @connection(key: "app_author_posts") { edges { node { ... on PnetPost { id } } } } }
  }`,
  `query appQuery($accountId: ID!, $identifier: String!) {
    ...app_posts @arguments(accountId: $accountId, identifier: $identifier)
    ...app_webhooks
    ...app_jobs
  }`,
  `fragment app_webhooks on Query
    @argumentDefinitions(count: { type: "Int", defaultValue: 50 }, cursor: { type: "String" })
    @refetchable(queryName: "appWebhooksPageQuery") {
    webhooks(first: $count, after: $cursor) @connection(key: "app_webhooks") {
      __id
      edges { node { ...app_webhook trigger { icon } } }
    }
  }`,
  // A type that implements Node can be refetched by its id.
  `fragment app_webhook on Webhook @refetchable(queryName: "appWebhookRefetchQuery") { id name isEnabled events }`,
  `fragment app_account on Account @refetchable(queryName: "appAccountRefetchQuery") { id name status }`,
  `fragment app_jobs on Query
    @argumentDefinitions(count: { type: "Int", defaultValue: 50 }, cursor: { type: "String" })
    @refetchable(queryName: "appJobsPageQuery") {
    jobPostings(first: $count, after: $cursor) @connection(key: "app_jobPostings") {
      edges { node { ...app_job } }
    }
  }`,
  `fragment app_job on PnetJobPosting @refetchable(queryName: "appJobRefetchQuery") {
    id state account { ...app_account }
  }`,
  // Lists behind an object, with filters: the arguments that choose a list are part of its key, unless a filter says which are.
  `fragment app_account_page on Account
    @argumentDefinitions(
      states: { type: "[PnetJobState!]" }
      count: { type: "Int", defaultValue: 20 }
      cursor: { type: "String" }
    )
    @refetchable(queryName: "appAccountPageQuery") {
    name
    jobPostings(states: $states, first: $count, after: $cursor) @connection(key: "app_account_jobPostings") {
      totalCount
      edges { node { ...app_job } }
    }
    ...app_account_webhooks
  }`,
  `fragment app_account_webhooks on Account
    @argumentDefinitions(enabled: { type: "Boolean" }, count: { type: "Int", defaultValue: 20 }, cursor: { type: "String" })
    @refetchable(queryName: "appAccountWebhooksQuery") {
    webhooks(isEnabled: $enabled, first: $count, after: $cursor)
      @connection(key: "app_account_webhooks", filters: ["isEnabled"]) {
      totalCount
      edges { node { ...app_webhook } }
    }
  }`,
  `mutation appDeleteWebhookMutation($webhookId: ID!, $connections: [ID!]!) {
    deleteWebhook(input: { webhookId: $webhookId }) {
      __typename
      ... on WebhookDeleted { deletedId @deleteEdge(connections: $connections) forgottenId: deletedId @deleteRecord }
      ... on ServiceError { code message }
    }
  }`,
  `mutation appCreateWebhookMutation($input: CreateWebhookInput!, $connections: [ID!]!) {
    createWebhook(input: $input) {
      ... on WebhookCreated {
        webhook @appendNode(connections: $connections, edgeTypeName: "WebhookEdge") { ...app_webhook }
      }
      ... on InvalidRequestError { issues { path message } }
    }
  }`,
  `mutation appCreateDraftMutation($input: CreateJobDraftInput!, $connections: [ID!]!) {
    createJobDraft(input: $input) {
      ... on PnetJobPostingCreated {
        jobPosting @prependNode(connections: $connections, edgeTypeName: "PnetJobPostingEdge") { ...app_job }
      }
      ... on ServiceError { code }
    }
  }`,
  `mutation appEmitMutation($input: EmitEventInput!, $connections: [ID!]!) {
    emitEvent(input: $input) {
      ... on EventEmitted {
        deliveries @prependNode(connections: $connections, edgeTypeName: "DeliveryEdge") { id state }
      }
    }
  }`,
  `mutation appPublishJobMutation($input: PublishJobInput!) {
    publishJob(input: $input) {
      ... on PnetJobPostingPublished { jobPosting { ...app_job } }
      ... on PnetJobPostingPublishCheckpoint { checkpointType jobPosting { ...app_job } }
      ... on ServiceError { code status message requestId }
    }
  }`,
];

describe('relay-compiler', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-relay-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function compile(texts: readonly string[]) {
    await mkdir(join(folder, 'generated'), { recursive: true });
    await writeFile(join(folder, 'app.ts'), source(texts));
    await writeFile(join(folder, 'schema.graphql'), await readFile(schemaFile));
    const config = {
      src: '.',
      schema: './schema.graphql',
      language: 'typescript',
      artifactDirectory: './generated',
      customScalarTypes: { DateTime: 'string' },
    };
    await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config));
    return run(process.execPath, [compiler, '--noWatchman', 'relay.config.json'], { cwd: folder });
  }

  test('compiles paginated fragments, refetches, and mutations that update lists', async () => {
    await compile(operations);
    const generated = await readdir(join(folder, 'generated'));
    expect(generated).toEqual(
      expect.arrayContaining([
        'appQuery.graphql.ts',
        'appPostsPageQuery.graphql.ts',
        'appWebhookRefetchQuery.graphql.ts',
        'appAccountPageQuery.graphql.ts',
        'appAccountWebhooksQuery.graphql.ts',
        'appDeleteWebhookMutation.graphql.ts',
      ]),
    );
    const page = await readFile(join(folder, 'generated', 'appPostsPageQuery.graphql.ts'), 'utf8');
    expect(page).toContain('"handle": "connection"');
    expect(page).toContain('endCursor');
    const creation = await readFile(join(folder, 'generated', 'appCreateWebhookMutation.graphql.ts'), 'utf8');
    expect(creation).toContain('"handle": "appendNode"');
    const deletion = await readFile(join(folder, 'generated', 'appDeleteWebhookMutation.graphql.ts'), 'utf8');
    expect(deletion).toContain('"handle": "deleteEdge"');
    expect(deletion).toContain('"handle": "deleteRecord"');
  });

  test('types fields that are null only with an error as not null, for clients that throw or catch errors', async () => {
    const tolerant = (
      directive: string,
      name: string,
    ) => `query ${name}($accountId: ID!, $identifier: String!) ${directive} {
      posts(accountId: $accountId, identifier: $identifier) { nodes { ... on PnetPost { text title author { name } } } }
      webhook(webhookId: "w") { name }
    }`;
    await compile([
      tolerant('', 'appPlainQuery'),
      tolerant('@throwOnFieldError', 'appThrowingQuery'),
      tolerant('@catch', 'appCatchingQuery'),
      `query appCaughtListQuery($accountId: ID!, $identifier: String!) @throwOnFieldError {
        posts(accountId: $accountId, identifier: $identifier) @catch { nodes { __typename } }
        viewer { name }
      }`,
    ]);
    const typesOf = async (name: string) => {
      const generated = await readFile(join(folder, 'generated', `${name}.graphql.ts`), 'utf8');
      const [, data = ''] = /export type \w+\$data = ([\s\S]*?)\n(?:export|};)/.exec(generated) ?? [];
      return data.replaceAll(/\s+/g, ' ');
    };
    expect(await typesOf('appPlainQuery')).toMatch(/text\?: string \| null \| undefined/);
    for (const name of ['appThrowingQuery', 'appCatchingQuery']) {
      const types = await typesOf(name);
      expect(types).toMatch(/readonly text\?: string;/);
      expect(types).toMatch(/readonly author\?: \{ readonly name: string; \};/);
      // What may be missing without an error stays so.
      expect(types).toMatch(/readonly title\?: string \| null \| undefined/);
      expect(types).toMatch(/readonly webhook: \{ readonly name: string \| null \| undefined; \} \| null \| undefined/);
      expect(types).not.toMatch(/posts: [^;]*\| null/);
    }
    expect(await typesOf('appCaughtListQuery')).toMatch(/readonly posts: Result</);
  });

  test('rejects a field that the schema does not have, which shows that this test can fail', async () => {
    await expect(compile(['query appQuery { viewer { shoeSize } }'])).rejects.toThrow(/shoeSize/);
  });
});
