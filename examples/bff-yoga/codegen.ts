import type { CodegenConfig } from '@graphql-codegen/cli';
import { address } from './settings.ts';

export default {
  schema: `${address}/schema.graphql`,
  documents: '*.ts',
  generates: {
    'gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        scalars: { Currency: 'string', DateTime: 'string', JSON: 'unknown' },
        strictScalars: true,
        nullability: { errorHandlingClient: true },
        importExtension: '.ts',
        useTypeImports: true,
      },
    },
  },
} satisfies CodegenConfig;
