/** Prints the schema as in `schema.graphql`: sorted by name, so that a diff shows what has changed and nothing else. */
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from './schema.ts';

export const printedSchema = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;

if (import.meta.main) process.stdout.write(printedSchema());
