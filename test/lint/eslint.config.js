/**
 * Two rules that Biome does not have: no regular expression takes more than linear time, and the published schema keeps
 * its conventions.
 *
 * The rules of the published schema: all that graphql-eslint has for schemas (`schema-all`, which includes
 * `schema-recommended`, and `schema-relay`), and the reason for each exception. Biome checks TypeScript.
 *
 * They are the conventions that Relay and schema registries expect, and no other linter knows them.
 */
import { stripTypeScriptTypes } from 'node:module';
import graphqlPlugin, { parser } from '@graphql-eslint/eslint-plugin';
import regexp from 'eslint-plugin-regexp';
import { valueObjects } from './value-objects.js';

/** TypeScript as JavaScript, in which everything stands where it stood: typescript-eslint needs the API of TypeScript 6. */
const stripTypes = {
  preprocess: (text) => [stripTypeScriptTypes(text)],
  postprocess: (messages) => messages.flat(),
};

export default [
  {
    files: ['src/**/*.{ts,js}'],
    // AssemblyScript, which has no regular expressions.
    ignores: ['src/splice/assembly/**'],
    plugins: { regexp },
    rules: {
      // Whatever is matched comes from outside sooner or later. `report: potential` asks for what might be, too.
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  { files: ['src/**/*.ts'], ignores: ['src/splice/assembly/**'], processor: stripTypes },
  {
    files: ['schema.graphql'],
    languageOptions: { parser, parserOptions: { graphQLConfig: { schema: './schema.graphql' } } },
    plugins: { '@graphql-eslint': graphqlPlugin },
    rules: {
      ...graphqlPlugin.configs['flat/schema-all'].rules,
      ...graphqlPlugin.configs['flat/schema-relay'].rules,

      // src/graphql/schema/print.ts sorts the schema already: by code units, where the rule compares as a locale does.
      '@graphql-eslint/alphabetize': 'off',

      // It is for schemas that are only read.
      '@graphql-eslint/no-root-type': 'off',

      // What is deprecated stays until the next major version, which has no date. `@deprecated` has no argument for one.
      '@graphql-eslint/require-deprecation-date': 'off',

      // It reports `viewer`, which fails only with the whole request, so that nothing else is lost with it. The rule has
      // no exceptions; test/graphql/semantic-nullability.test.ts checks all other fields.
      '@graphql-eslint/require-nullable-result-in-root': 'off',

      '@graphql-eslint/strict-id-in-types': ['error', { exceptions: valueObjects }],

      // It reports `Account.accountId`, `Webhook.webhookId` and `Workspace.workspaceId`. Unlike the global `id`, a raw
      // id of the contract has one name in fields and arguments, so that a value of one can be pasted into the other.
      // The rule has no exceptions; test/graphql/schema.test.ts checks all other fields.
      '@graphql-eslint/no-typename-prefix': 'off',

      // The contract's lists can only be read forward, so there is no `last` and no `before`. Relay's specification
      // requires one of the two directions.
      '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],

      // Relay requires that `edges` wrap edges. A ban on all other lists would turn the choices of a question into a
      // connection, and forbid `nodes`, a shortcut for clients that need no cursors. Nor does Relay require that every
      // node be a `Node`: the attempts of a delivery are paged, but cannot be refetched one by one. The rule has no
      // exceptions.
      '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false, shouldImplementNode: false }],
    },
  },
];
