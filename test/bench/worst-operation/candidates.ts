/** Operations to try: some roots, each with a selection that is derived from the schema, under many aliases. */
import {
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { type Random, seededRandom } from '../../support/random.ts';
import { schema } from '../../support/schema.ts';

/** A candidate is what its text is made of, so that it can be varied. */
export interface Candidate {
  readonly root: keyof typeof roots;
  readonly aliases: number;
  readonly first: number;
  /** Levels of fields below the root. */
  readonly levels: number;
  /** How many times each value is selected, under aliases. */
  readonly copies: number;
  /** How many of the fields with selections of their own are taken, of ten. */
  readonly breadth: number;
  readonly seed: number;
  readonly keyless: boolean;
}

const roots = {
  posts: {
    field: (n: string) => `posts(accountId: $accountId, identifier: "ACoSandbox250", first: ${n})`,
    type: 'PostConnection',
  },
  gallery: {
    field: (n: string) => `posts(accountId: $accountId, identifier: "ACoSandboxGallery", first: ${n})`,
    type: 'PostConnection',
  },
  photonet: {
    field: (n: string) => `posts(accountId: $photonetId, identifier: "sandbox.sixty", first: ${n})`,
    type: 'PostConnection',
  },
  invalid: {
    field: (n: string) => `posts(accountId: $accountId, identifier: "??", first: ${n})`,
    type: 'PostConnection',
  },
  webhooks: { field: (n: string) => `webhooks(first: ${n})`, type: 'WebhookConnection' },
  webhook: { field: () => 'webhook(webhookId: $webhookId)', type: 'Webhook' },
  accounts: { field: (n: string) => `accounts(first: ${n})`, type: 'AccountConnection' },
  eventSamples: { field: () => 'eventSamples', type: 'EventSample' },
  viewer: { field: () => 'viewer', type: 'Viewer' },
  schema: { field: () => '__schema', type: '__Schema' },
  type: { field: () => '__type(name: "WebhookDataKey")', type: '__Type' },
  sendTestEvent: {
    field: () => 'sendTestEvent(input: { webhookId: $webhookId, event: MESSAGE_RECEIVED })',
    type: 'EmitEventResult',
  },
  createWebhook: {
    field: () => 'createWebhook(input: { requestUrl: "https://hooks.example/x", isEnabled: false, source: USERS })',
    type: 'CreateWebhookResult',
  },
} as const;

const rootNames = Object.keys(roots) as (keyof typeof roots)[];

const int = (min: number, max: number): number => min + Math.floor(Math.random() * (max - min + 1));

export function randomCandidate(): Candidate {
  const root = rootNames[int(0, rootNames.length - 1)] ?? 'posts';
  return {
    root,
    aliases: int(1, 50),
    first: [1, 5, 25, 100, 250][int(0, 4)] ?? 100,
    levels: int(1, 7),
    copies: int(1, 6),
    breadth: int(0, 10),
    seed: int(1, 1_000_000),
    keyless: root === 'schema' || root === 'type',
  };
}

/** The candidate with one of its numbers changed. */
export function vary(candidate: Candidate): Candidate {
  const up = (value: number, max: number) =>
    Math.max(1, Math.min(max, Math.round(value * (0.6 + Math.random()) + int(-1, 1))));
  const changes: readonly Partial<Candidate>[] = [
    { aliases: up(candidate.aliases, 50) },
    { first: up(candidate.first, 250) },
    { levels: up(candidate.levels, 8) },
    { copies: up(candidate.copies, 20) },
    { breadth: int(0, 10) },
    { seed: int(1, 1_000_000) },
    { aliases: up(candidate.aliases, 50), first: up(candidate.first, 250) },
  ];
  return { ...candidate, ...changes[int(0, changes.length - 1)] };
}

/** @param variables ids of what the gateway has */
export function requestOf(candidate: Candidate, variables: Readonly<Record<string, string>>) {
  const { field, type } = roots[candidate.root];
  const isMutation = candidate.root === 'sendTestEvent' || candidate.root === 'createWebhook';
  const random = seededRandom(candidate.seed);
  const named = schema.getType(type);
  if (named === undefined) throw new Error(`The schema has no type ${type}`);
  const selection = selectionOf(named, candidate, candidate.levels, random);
  const first = type === 'PostConnection' ? Math.min(100, candidate.first) : candidate.first;
  const fields = Array.from({ length: candidate.aliases }, (_, index) => `r${index}: ${field(String(first))} { ...S }`);
  const declared = Object.keys(variables).filter(
    (name) => field('1').includes(`$${name}`) || selection.includes(`$${name}`),
  );
  const list = declared.map((name) => `$${name}: ID!`).join(', ');
  const query = `${isMutation ? 'mutation' : 'query'} W${list === '' ? '' : `(${list})`} { ${fields.join(' ')} } fragment S on ${type} ${selection}`;
  return { query, variables: Object.fromEntries(declared.map((name) => [name, variables[name]])) };
}

function selectionOf(type: GraphQLNamedType, candidate: Candidate, levels: number, random: Random): string {
  if (isAbstractType(type)) {
    const shared = isInterfaceType(type) ? fieldsOf(Object.values(type.getFields()), candidate, levels, random) : [];
    const variants = schema.getPossibleTypes(type).map((variant) => {
      const own = Object.values(variant.getFields()).filter(
        (field) => !(isInterfaceType(type) && type.getFields()[field.name]),
      );
      const fields = fieldsOf(own, candidate, levels, random);
      return fields.length === 0 ? '' : `... on ${variant.name} { ${fields.join(' ')} }`;
    });
    return `{ __typename ${[...shared, ...variants].join(' ')} }`;
  }
  const fields = isObjectType(type) ? fieldsOf(Object.values(type.getFields()), candidate, levels, random) : [];
  return `{ __typename ${fields.join(' ')} }`;
}

/** Aliases are limited in number, so only some values are selected more than once. */
let aliasCount = 0;

function fieldsOf(
  fields: readonly GraphQLField<unknown, unknown>[],
  candidate: Candidate,
  levels: number,
  random: Random,
): string[] {
  return fields.flatMap((field) => {
    if (field.args.some(isRequiredArgument) && !field.args.some(({ name }) => name === 'first')) return [];
    const named = getNamedType(field.type);
    if (isLeafType(named)) {
      const copies = random.chance(0.2) ? candidate.copies : 1;
      return Array.from({ length: copies }, (_, index) => {
        aliasCount = (aliasCount + 1) % 10_000;
        return index === 0 ? field.name : `c${aliasCount}: ${field.name}`;
      });
    }
    const isList = field.args.some(({ name }) => name === 'first');
    const isNeeded = field.name === 'nodes' || field.name === 'edges' || field.name === 'node';
    if (levels <= 1 || (!isNeeded && !random.chance(candidate.breadth / 10))) return [];
    const size = named.name === 'PostConnection' ? Math.min(100, candidate.first) : candidate.first;
    return [`${field.name}${isList ? `(first: ${size})` : ''} ${selectionOf(named, candidate, levels - 1, random)}`];
  });
}
