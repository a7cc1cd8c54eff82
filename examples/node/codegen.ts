import type { CodegenConfig } from '@graphql-codegen/cli';
import { address } from './settings.ts';

export default {
  schema: `${address}/schema.graphql`, // it has the directives, which introspection leaves out
  documents: '*.{ts,tsx}',
  generates: {
    'gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        scalars: { Currency: 'string', DateTime: 'string', JSON: 'unknown' },
        strictScalars: true,
        nullability: { errorHandlingClient: true }, // a field is null only if null is an answer
        importExtension: '.ts',
        useTypeImports: true,
      },
    },
    'gql/schema.json': { plugins: ['introspection'], config: { descriptions: false, minify: true } }, // for urql
  },
} satisfies CodegenConfig;
