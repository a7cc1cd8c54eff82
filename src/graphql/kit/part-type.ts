import type { InterfaceParam } from '@pothos/core';
import { builder, type SchemaTypes } from './builder.ts';
import { inheritMaxAge } from './cache-hint.ts';

/** A type of objects that are read with their parents, and cached as long as these. */
export const partType = <Shape>(
  name: string,
  options: Omit<PothosSchemaTypes.ObjectTypeOptions<SchemaTypes, Shape>, 'name' | 'extensions' | 'interfaces'> & {
    readonly interfaces?: InterfaceParam<SchemaTypes>[];
  },
) => builder.objectRef<Shape>(name).implement({ ...options, extensions: inheritMaxAge });
