/** The schema: the only file whose imports are there for what they do, which is to add their types to the builder. */
import './scalars.ts';
import './node.ts';
import '../accounts/graphql.ts';
import '../jobs/graphql/index.ts';
import '../posts/graphql/index.ts';
import '../webhooks/graphql/index.ts';
import { builder } from './builder.ts';
import { tolerateUnknownWords } from './enums.ts';
import { nameFailures } from './errors.ts';

export const schema = nameFailures(tolerateUnknownWords(builder.toSchema()));
