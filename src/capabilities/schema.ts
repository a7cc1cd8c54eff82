/** The whole schema, that of schema.graphql. */
import { buildSchema } from './build-schema.ts';

export const schema = buildSchema('embedded');
