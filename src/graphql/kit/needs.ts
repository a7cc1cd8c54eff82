/**
 * Options of fields and arguments: the operation that a field runs, and what a set-up must have for it. What a set-up does
 * not serve is not in its schema.
 */
import SchemaBuilder, {
  BasePlugin,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { AnyOperation } from '../../kernel/operation.ts';
import { type Need, type SetUp, serves } from '../../kernel/set-up.ts';

export type Run = Pick<AnyOperation, 'scope' | 'needs'>;

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      needs: NeedsPlugin<Types>;
    }
    export interface BuildSchemaOptions<Types extends SchemaTypes> {
      setUp: SetUp;
    }
    export interface FieldOptions {
      /** By default that of the source that the field reads from (source.ts). */
      runs?: Run;
      /** By default that of the operation. */
      needs?: Need;
    }
    export interface InputFieldOptions {
      needs?: Need;
    }
  }
}

class NeedsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(config: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> | null {
    // As source.ts writes it.
    const source = config.extensions?.source as { readonly operation: Run } | undefined;
    const { runs = source?.operation } = config.pothosOptions;
    if (!this.#has(config.pothosOptions.needs ?? runs?.needs)) return null;
    return runs === undefined ? config : { ...config, extensions: { ...config.extensions, scope: runs.scope } };
  }

  override onInputFieldConfig(config: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> | null {
    return this.#has(config.pothosOptions.needs) ? config : null;
  }

  #has(need: Need | undefined): boolean {
    return need === undefined || serves(this.options.setUp, need);
  }
}

export const needsPlugin = 'needs';

// This module may be evaluated again beside the same Pothos, as where modules are reloaded.
SchemaBuilder.allowPluginReRegistration = true;
SchemaBuilder.registerPlugin(needsPlugin, NeedsPlugin);
