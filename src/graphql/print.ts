/** The schema as text, as it stands in `schema.graphql`: types in the order of their names, so that changes read well. */
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from './schema.ts';

export const printedSchema = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;

if (import.meta.main) process.stdout.write(printedSchema());
