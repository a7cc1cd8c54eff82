/** What a form chooses from. */
import { ask } from './gateway.js';
import * as queries from './queries.js';

let sources = null;

/** Sources with samples of their events. */
export async function readSources() {
  if (sources !== null) return sources;
  const { eventSamples } = (await ask(queries.sources)).data;
  sources = Object.groupBy(eventSamples, ({ source }) => source);
  return sources;
}

/** The accounts that a key can choose from; none where it cannot see any. */
export async function readAccounts({ scopes }) {
  if (!scopes.includes('ACCOUNTS_READ')) return [];
  return (await ask(queries.accounts)).data.accounts.nodes;
}
