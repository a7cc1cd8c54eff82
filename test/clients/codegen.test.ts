/** GraphQL Code Generator with its client preset, for a client that handles errors: what is null only with an error is there. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate } from '@graphql-codegen/cli';
import { preset } from '@graphql-codegen/client-preset';
import { expect, test } from 'vitest';

const schema = fileURLToPath(new URL('../../schema.graphql', import.meta.url));
const query = `query Page($accountId: ID!, $identifier: String!) {
  posts(accountId: $accountId, identifier: $identifier) { nodes { ... on PnetPost { text title author { name } } } }
  webhook(webhookId: "w") { name }
}`;

/** The type that is generated for the query, in one line. */
async function generated(errorHandlingClient: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-codegen-'));
  const files = (await generate(
    {
      schema,
      documents: query,
      silent: true,
      generates: {
        [`${folder}/`]: {
          preset,
          presetConfig: { fragmentMasking: false },
          config: { nullability: { errorHandlingClient } },
        },
      },
    },
    false,
  )) as { filename: string; content: string }[];
  await rm(folder, { recursive: true });
  const types = files.find(({ filename }) => filename.endsWith('graphql.ts'))?.content ?? '';
  return /export type PageQuery = ([\s\S]*?);?\n\n/.exec(types)?.[1]?.replaceAll(/\s+/g, ' ') ?? types;
}

test('a client that handles errors need not expect null where null is an error', async () => {
  const types = await generated(true);
  expect(types).toMatch(/text: string/);
  expect(types).toMatch(/title: string \| null/);
  expect(types).toMatch(/webhook:[^;]*\| null/);
  expect(types).not.toMatch(/text: string \| null/);
  expect(types).not.toMatch(/posts: [^;]*\} \| null[^}]*webhook/);
});

test('another client must expect it', async () => {
  const types = await generated(false);
  expect(types).toMatch(/text: string \| null/);
});
