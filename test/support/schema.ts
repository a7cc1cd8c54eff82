/** The whole schema, that of schema.graphql. */
import { buildSchema } from '../../src/capabilities/schema.ts';

export const schema = buildSchema('embedded');
