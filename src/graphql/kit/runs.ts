/** The option `runs` of fields: the operation that a field runs, which decides what the field needs. */
import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { AnyOperation } from '../../kernel/operation.ts';

export type Run = Pick<AnyOperation, 'scope'>;

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      runs: RunsPlugin<Types>;
    }
    export interface FieldOptions {
      /** By default that of the source that the field reads from (source.ts). */
      runs?: Run;
    }
  }
}

class RunsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    // As source.ts writes it.
    const source = config.extensions?.source as { readonly operation: Run } | undefined;
    const { runs = source?.operation } = config.pothosOptions;
    return runs === undefined ? config : { ...config, extensions: { ...config.extensions, scope: runs.scope } };
  }
}

export const runsPlugin = 'runs';

SchemaBuilder.registerPlugin(runsPlugin, RunsPlugin);
