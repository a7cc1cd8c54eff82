/** Documents and operations that are made to be as expensive as one limit lets them be. */
import { operationLimits } from '../../../src/graphql/cost/limits.ts';

const times = (count: number, of: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => of(index)).join(' ');

const { aliases, fragmentNesting, rootFields, mutations, comparisons, tokens, characters } = operationLimits;
const repetitions = Math.floor(Math.sqrt(comparisons));

/** Names and texts of the operations. `$webhookId` and `$accountId` are put in as literals. */
export const extremes: Readonly<Record<string, string>> = {
  'one field repeated, as often as may be compared': `{ viewer { ${'name '.repeat(repetitions)} } }`,
  'conflicting fields, as many as may be compared': `{ viewer { ${times(repetitions / 2, () => 'a: name a: keyId').slice(0, 4_000)} } }`,
  'repeated fields with arguments within repeated fields': `{ ${times(9, () => `webhooks(first: 1) { nodes { ${times(9, () => `deliveries(first: 1, states: [FAILED, HELD]) { nodes { ${'deliveryId '.repeat(3)} } }`)} } }`)} }`,
  'fragments that are compared with one another': `{ ${times(300, (n) => `...F${n}`)} } ${times(300, (n) => `fragment F${n} on Query { viewer { name keyId } }`)}`,
  'fragments that each spread the next one twice': `{ viewer { ...F1 } } ${times(fragmentNesting - 1, (n) => `fragment F${n + 1} on Viewer { ...F${n + 2} ...F${n + 2} }`)} fragment F${fragmentNesting} on Viewer { name }`,
  'many tokens of values': `{ nodes(ids: [${'"x" '.repeat(tokens - 50)}]) { id } }`,
  'unknown fields': `{ ${times(Math.floor(tokens / 2), (n) => `viewr${n}`)} }`,
  'comments only, and a field': `${'#\n'.repeat(characters / 2 - 100)}{ viewer { name } }`,
  'many lines before many errors': `${'\n'.repeat(900)}{ ${times(rootFields, (n) => `a${n}: posts(accountId: "$accountId", identifier: "??") { nodes { __typename } }`)} }`,
  'one data under many names': `{ webhook(webhookId: "$webhookId") { deliveries(first: 250) { nodes { ${times(aliases, (n) => `d${n}: data`)} } } } }`,
  'all mutations at once': `mutation { ${times(mutations, (n) => `m${n}: sendTestEvent(input: { webhookId: "$webhookId", event: MESSAGE_RECEIVED }) { ... on EventEmitted { eventId deliveries { deliveryId data webhook { name data { name key } } } } }`)} }`,
  'cursors of many pages': `{ ${times(rootFields, (n) => `a${n}: webhooks(first: 150) { edges { cursor } }`)} }`,
  'attempts of deliveries of webhooks':
    '{ webhooks(first: 10) { nodes { deliveries(first: 10) { nodes { attempts(first: 1) { edges { cursor } } webhook { name } } } } } }',
  'entries of an argument': `{ webhooks(first: 50) { nodes { deliveries(first: 1, states: [${'FAILED '.repeat(1_000)}]) { edges { cursor } } } } }`,
  'full introspection, in an order of its own':
    '{ __schema { directives { args { type { ofType { ofType { name } } } defaultValue } name } types { possibleTypes { name kind } inputFields { defaultValue type { ofType { name ofType { name ofType { kind } } } } description name } enumValues(includeDeprecated: true) { deprecationReason isDeprecated description name } interfaces { kind name } fields(includeDeprecated: true) { isDeprecated type { ofType { ofType { ofType { kind name } name } name } kind name } args { type { ofType { ofType { ofType { kind name } } } } description name } description name } description name kind } } }',
};
