import { type Example, exampleParts } from '../../src/pages/graphiql/examples.ts';

/** The text that GraphiQL opens. */
export const exampleOperation = async (example: Example): Promise<string> => (await exampleParts(example)).query;
