/** Generated query operations over the lists of the schema: every field that they have, in every way to write it. */
import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { sourceOf } from '../../src/graphql/kit/source.ts';
import { shownBy, wireOf } from '../../src/graphql/kit/wire.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import type { Random } from './random.ts';

export interface GeneratedOperation {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Whether it has lists within lists. */
  readonly isNested: boolean;
  /** Whether it has nothing that is left to graphql-js whatever the pages: a filter, a field that a resolver makes, … */
  readonly isCompiled: boolean;
}

/** What an operation has beside its selections. */
interface Writing {
  readonly random: Random;
  readonly schema: GraphQLSchema;
  readonly ports: Ports;
  readonly fragments: string[];
  /** The Boolean variables that directives use. */
  readonly flags: Map<string, boolean>;
  /** Lists within lists that may still be selected. */
  innerLists: number;
  /** Names of fields that the items of the present root leave to resolvers. */
  left: ReadonlySet<string>;
  isCompiled: boolean;
}

/** Of whatever a list within a list needs: an author of the sandbox. */
const neededValue = 'ACoSandbox3';

/** More of them make plans beyond their bound, and responses of megabytes. */
const mostInnerLists = 3;

/** Whether a field leads to another list that is read as JSON. */
const isList = (field: GraphQLField<unknown, unknown>, ports: Ports): boolean =>
  sourceOf(field)?.pages(ports) !== undefined;

/** Whether a field reads one object, and no list. */
const isItem = (field: GraphQLField<unknown, unknown>): boolean => !('connection' in (sourceOf(field) ?? {}));

/** Writes the arguments of a root field. */
export interface ArgumentWriter {
  readonly random: Random;
  /** A value, or a variable that has it. @param type without its `!` */
  readonly value: (name: string, type: string, given: unknown) => string;
  /** `first`, mostly. */
  readonly first: () => string[];
  /** What follows cannot be compiled. */
  readonly leave: () => void;
}

export interface RootField {
  readonly arguments: (writer: ArgumentWriter) => string[];
  /** Names of fields that its items leave to resolvers. */
  readonly left?: ReadonlySet<string>;
}

export interface GeneratorOptions {
  /** Root fields that read more than others stand here more than once. */
  readonly roots: readonly (readonly [name: string, field: RootField])[];
  /** With which the lists are read. */
  readonly ports: Ports;
}

/** Arguments of webhooks that change nothing. */
const noFilters = [
  'accountId: null',
  'sources: null',
  'isEnabled: null',
  'healthStates: null',
  'query: null',
  'orderBy: null',
];

/** Those that leave webhooks out, or ask for an order. */
const filters = [
  'accountId: "ACo1"',
  'sources: MESSAGING',
  'events: [NEW_RELATION]',
  'sources: []',
  'isEnabled: true',
  'healthStates: FAILING',
  'query: "a"',
  'orderBy: CREATED_AT_ASC',
];

interface ServiceLists {
  /** Values of `identifier`; each names a list. */
  readonly authors: readonly string[];
  /** Of all lists but a few. */
  readonly accountId: string;
  /** A cursor of the list of an author that is read with the account; without one, of that of webhooks. */
  readonly cursorOf: (author?: string) => string;
}

/** The lists of a service. Of posts, there are more ways to write a list. */
export function serviceRoots({ authors, accountId, cursorOf }: ServiceLists): GeneratorOptions['roots'] {
  const posts: RootField = {
    arguments({ random, value, first }) {
      const author = random.pick(authors);
      const isUsual = random.chance(0.9);
      const isCompany = random.chance(0.2) ? random.chance(0.5) : undefined;
      return [
        `accountId: ${value('account', 'ID', isUsual ? accountId : 'other "account" é')}`,
        `identifier: ${value('of', 'String', author)}`,
        ...first(),
        ...(isCompany === undefined ? [] : [`isCompany: ${value('company', 'Boolean', isCompany)}`]),
        ...(isUsual && isCompany !== true && random.chance(0.2)
          ? [`after: ${value('after', 'String', cursorOf(author))}`]
          : []),
      ];
    },
  };
  const webhooks: RootField = {
    arguments({ random, value, first, leave }) {
      const isFiltered = random.chance(0.05);
      if (isFiltered) leave();
      return [
        ...first(),
        ...(random.chance(0.2) ? [`after: ${value('after', 'String', cursorOf())}`] : []),
        ...(isFiltered ? [random.pick(filters)] : random.chance(0.2) ? [random.pick(noFilters)] : []),
      ];
    },
  };
  return [
    ['posts', posts],
    ['posts', posts],
    ['webhooks', webhooks],
  ];
}

export function generateOperation(
  schema: GraphQLSchema,
  random: Random,
  { roots: fields, ports }: GeneratorOptions,
): GeneratedOperation {
  const innerLists = random.chance(0.4) ? 1 + random.int(mostInnerLists) : 0;
  const writing: Writing = {
    ...{ random, schema, ports, fragments: [], flags: new Map(), innerLists },
    ...{ left: new Set<string>(), isCompiled: true },
  };
  const roots: string[] = [];
  const definitions: string[] = [];
  const variables: Record<string, unknown> = {};
  const value = (name: string, type: string, given: unknown): string => {
    if (!random.chance(0.4)) return JSON.stringify(given);
    const variable = `${name}${roots.length}`;
    // A variable may be sent, or be left to its default.
    if (random.chance(0.8)) {
      definitions.push(`$${variable}: ${type}!`);
      variables[variable] = given;
    } else {
      definitions.push(`$${variable}: ${type}! = ${JSON.stringify(given)}`);
    }
    return `$${variable}`;
  };
  const first = () =>
    random.chance(0.8) ? [`first: ${value('first', 'Int', random.chance(0.5) ? 100 : 1 + random.int(8))}`] : [];
  const leave = () => {
    writing.isCompiled = false;
  };
  const count = 1 + (random.chance(0.3) ? random.int(3) : 0);
  const usual = random.pick(fields);
  for (let index = 0; index < count; index += 1) {
    const [name, root] = random.chance(0.2) ? random.pick(fields) : usual;
    const field = schema.getQueryType()?.getFields()[name];
    if (field === undefined) throw new Error(`The query type has no field ${name}`);
    const args = root.arguments({ random, value, first, leave });
    const given = args.length === 0 ? '' : `(${args.join(', ')})`;
    const type = getNamedType(field.type);
    const directive = random.chance(0.1) ? directiveOf(writing) : '';
    writing.left = root.left ?? new Set();
    roots.push(`list${index}: ${name}${given}${directive} ${selections(writing, type, 0, isItem(field))}`);
  }
  if (random.chance(0.1)) roots.splice(random.int(roots.length + 1), 0, '__typename');
  for (const [flag, on] of writing.flags) {
    definitions.push(`$${flag}: Boolean!`);
    variables[flag] = on;
  }
  const name = random.chance(0.3) ? 'Chosen' : undefined;
  const head = definitions.length > 0 || name !== undefined ? `query ${name ?? ''}` : random.pick(['query', '']);
  const variablesText = definitions.length === 0 ? '' : `(${definitions.join(', ')})`;
  const other = name !== undefined && random.chance(0.5) ? ['query Other { __typename }'] : [];
  const query = [...other, `${head}${variablesText} { ${roots.join(' ')} }`, ...writing.fragments].join('\n');
  const { isCompiled } = writing;
  return { query, operationName: name, variables, isNested: writing.innerLists < innerLists, isCompiled };
}

function objectType(field: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) throw new Error(`${field.name} returns no object`);
  return type;
}

/** How deep selections lead into types that lead back, such as the interface of posts from each of them. */
const deepest = 9;

/** Whether a resolver makes the value, so that no plan can say it. @param inItem of an item of a list, or a part of it */
function isMade(
  { schema, ports, left }: Writing,
  type: GraphQLNamedType,
  field: GraphQLField<unknown, unknown>,
  inItem: boolean,
): boolean {
  if (!inItem) return shownBy(field) === 'size';
  if (left.has(field.name)) return true;
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
  return !types.some((each) => {
    const own = each.getFields()[field.name];
    return own !== undefined && (wireOf(own) !== undefined || isList(own, ports));
  });
}

/** A selection set of an object, interface or union. */
function selections(writing: Writing, type: GraphQLNamedType, depth: number, inItem: boolean): string {
  const { random, schema } = writing;
  const parts: string[] = [];
  if (isObjectType(type) || 'getFields' in type) {
    const fields = Object.values((type as GraphQLObjectType).getFields()).filter(
      (field) => !isOtherList(field, writing.ports) && (depth < deepest || isLeafType(getNamedType(field.type))),
    );
    const share = random.pick([0.2, 0.5, 1]);
    for (const field of shuffled(random, fields)) {
      const made = isMade(writing, type, field, inItem);
      if (made && !random.chance(0.005)) continue;
      if (made) writing.isCompiled = false;
      if (isList(field, writing.ports)) parts.push(...innerList(writing, field, depth));
      else if (made || random.chance(share)) parts.push(selectionOf(writing, field, depth, inItem));
    }
  }
  // Of nodes a list has few types: the others have fields of the same names and other types.
  if (isAbstractType(type) && type.name !== 'Node' && depth < deepest) {
    for (const possible of schema.getPossibleTypes(type)) {
      if (random.chance(0.8)) parts.push(fragmentOn(writing, possible, depth, inItem));
    }
  }
  // Fragments on the type itself and on its interfaces: their fields are merged with those around them.
  for (const same of isObjectType(type) ? [type, ...type.getInterfaces()] : []) {
    if (depth < deepest && random.chance(0.1)) parts.push(fragmentOn(writing, same, depth, inItem));
  }
  if (parts.length === 0 || random.chance(0.2)) {
    parts.splice(random.int(parts.length + 1), 0, random.chance(0.3) ? 'kind: __typename' : '__typename');
  }
  return `{ ${parts.join(' ')} }`;
}

function selectionOf(writing: Writing, field: GraphQLField<unknown, unknown>, depth: number, inItem: boolean): string {
  const { random } = writing;
  const type = getNamedType(field.type);
  // One name for one field, so that any two selections of an object can be merged.
  const alias = random.chance(0.1) ? `as_${field.name}: ` : '';
  const directive = random.chance(0.08) ? directiveOf(writing) : '';
  const isInItem = inItem || shownBy(field) === 'items' || shownBy(field) === 'item';
  const inner = isLeafType(type) ? '' : ` ${selections(writing, type, depth + 1, isInItem)}`;
  const once = `${alias}${field.name}${directive}${inner}`;
  return random.chance(0.05) ? `${once} ${selectionOf(writing, field, depth, inItem)}` : once;
}

/** Whether a field of an interface is a list: those of its types are selected. */
const isOtherList = (field: GraphQLField<unknown, unknown>, ports: Ports): boolean =>
  field.args.length > 0 && !isList(field, ports);

function innerList(writing: Writing, field: GraphQLField<unknown, unknown>, depth: number): string[] {
  const { random } = writing;
  if (writing.innerLists === 0 || random.chance(0.4)) return [];
  writing.innerLists -= 1;
  if (isItem(field)) return [selectionOf(writing, field, depth, true)];
  const first = 1 + random.int(4);
  // Its name has the argument, so that any two selections can be merged.
  const directive = random.chance(0.1) ? directiveOf(writing) : '';
  const inner = selections(writing, objectType(field), depth + 1, false);
  const needed = field.args.filter(isRequiredArgument).map(({ name }) => `, ${name}: "${neededValue}"`);
  return [`first_${first}_${field.name}: ${field.name}(first: ${first}${needed.join('')})${directive} ${inner}`];
}

function fragmentOn(
  writing: Writing,
  type: GraphQLObjectType | GraphQLInterfaceType,
  depth: number,
  inItem: boolean,
): string {
  const { random } = writing;
  const directive = random.chance(0.1) ? directiveOf(writing) : '';
  const body = selections(writing, type, depth + 1, inItem);
  if (random.chance(0.7)) return `... on ${type.name}${directive} ${body}`;
  const name = `F${writing.fragments.length}_${type.name}`;
  writing.fragments.push(`fragment ${name} on ${type.name} ${body}`);
  const spread = `...${name}${directive}`;
  if (random.chance(0.8)) return spread;
  // Once more, in a fragment on whatever the type is.
  return random.chance(0.5) ? `${spread} ...${name}` : `${spread} ...${directiveOf(writing)} { ...${name} }`;
}

function directiveOf({ random, flags }: Writing): string {
  const name = random.pick(['skip', 'include']);
  if (random.chance(0.4)) return ` @${name}(if: ${random.chance(0.5)})`;
  const flag = `flag${random.int(3)}`;
  if (!flags.has(flag)) flags.set(flag, random.chance(0.5));
  return ` @${name}(if: $${flag})`;
}

export function shuffled<T>(random: Random, list: readonly T[]): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(random.int(rest.length), 1)[0] as T);
}
