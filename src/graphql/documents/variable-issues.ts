/** Issues of values that graphql-js refuses in words alone, from the type and the value at the path. */
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import type { Issue } from '../../kernel/errors.ts';

type Path = Issue['path'];
type Problem = Pick<Issue, 'code' | 'message'>;

export const missingValue: Problem = { code: 'required', message: 'is required' };
export const notNull: Problem = { code: 'required', message: 'must not be null' };

export class VariableIssues {
  readonly #name: string;
  readonly #type: GraphQLInputType;
  /** Tells of each object what is wrong with its own fields: graphql-js names the object only. */
  readonly #ofObjects = new Map<object, Iterator<Issue>>();

  constructor(name: string, type: GraphQLInputType) {
    this.#name = name;
    this.#type = type;
  }

  at(path: Path, value: unknown): Issue {
    const from = [this.#name, ...path];
    if (value === null || value === undefined) return { path: from, ...notNull };
    const type = typeAt(this.#type, path);
    if (!isInputObjectType(type) || typeof value !== 'object' || Array.isArray(value)) {
      return { path: from, ...problemOf(type, value) };
    }
    const issues = this.#ofObjects.get(value) ?? issuesOfFields(type, value, from);
    this.#ofObjects.set(value, issues);
    return issues.next().value ?? { path: from, ...problemOf(type, value) };
  }
}

/** The innermost type at a path: a list takes a value in the place of a list of one. */
function typeAt(type: GraphQLInputType, path: Path): GraphQLInputType {
  const inner = isNonNullType(type) ? type.ofType : type;
  const [key, ...rest] = path;
  if (isListType(inner)) return typeAt(inner.ofType, typeof key === 'number' ? rest : path);
  if (key === undefined || !isInputObjectType(inner)) return inner;
  const field = inner.getFields()[key];
  return field === undefined ? inner : typeAt(field.type, rest);
}

/** In the order of graphql-js: the fields that are missing, those that the type does not have, and how many a one-of has. */
function* issuesOfFields(type: GraphQLInputObjectType, value: object, path: Path): Generator<Issue, undefined> {
  const fields = type.getFields();
  for (const field of Object.values(fields)) {
    const isMissing = isRequiredInputField(field) && Reflect.get(value, field.name) === undefined;
    if (isMissing) yield { path: [...path, field.name], ...missingValue };
  }
  for (const name of Object.keys(value)) {
    if (fields[name] === undefined) {
      yield { path: [...path, name], code: 'unknown_field', message: 'is not a field of this request' };
    }
  }
  if (type.isOneOf) {
    const hasNone = !Object.keys(value).some((name) => fields[name] !== undefined);
    yield { path, code: hasNone ? 'required' : 'conflicting', message: 'must have exactly one field' };
  }
  return undefined;
}

function problemOf(type: GraphQLInputType, value: unknown): Problem {
  const { name } = getNamedType(type);
  if (isEnumType(type) && typeof value === 'string') {
    return { code: 'not_allowed', message: `must be a value of the enum ${name}` };
  }
  return { code: 'malformed', message: `must be of the type ${name}` };
}
