import type { CodegenConfig } from '@graphql-codegen/cli';
import { address } from './settings.ts';

export default {
  schema: `${address}/schema.graphql`, // it has the directives, which introspection leaves out
  documents: 'src/*.{ts,tsx}',
  generates: {
    'src/gql/': {
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
  },
} satisfies CodegenConfig;
