/** Copies the schema of the gateway for relay-compiler, which takes a file, and makes the folder that it writes to. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { address } from './settings.ts';

mkdirSync('src/gql', { recursive: true });
writeFileSync('gateway.graphql', await (await fetch(`${address}/schema.graphql`)).text());
