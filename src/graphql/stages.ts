/** The gates of a GraphQL request, in the order in which the pipeline calls them: of the request, its document, its operation. */
import { GraphQLError } from 'graphql';
import { type Admission, apiKeyOf } from '../auth/admission.ts';
import { type BodyBound, maxStrangerBytes } from '../http/request-bodies.ts';
import { parametersOfUrl } from '../http/request-head.ts';
import { type Caller, missingKey } from '../kernel/caller.ts';
import { malformedRequest, ServiceError } from '../kernel/errors.ts';
import { shortened, shortList } from '../kernel/issues.ts';
import { isShallow, parseJson, tooDeep } from '../kernel/lib/json-text.ts';
import { isObject } from '../kernel/lib/objects.ts';
import { LimitError, maxIntrospectionCost } from './cost/limits.ts';
import { collectFields, fragmentsOf, includedBy, variablesOf } from './cost/selections.ts';
import { type DocumentOf, type KnownDocument, weightOfText } from './documents/known-documents.ts';
import { type PersistedQueries, requireHash } from './documents/persisted-queries.ts';
import type { DocumentFinder } from './documents/requested-document.ts';
import type { Values } from './documents/variables.ts';
import type { Exchange, Outcome, SentParameters, Stage } from './exchange.ts';
import { badRequest } from './kit/errors.ts';
import type { CacheLookup, ResponseCache } from './response-cache.ts';

/** Enough for the queries of tools that ask for the schema. */
const strangerBody: BodyBound = {
  bytes: maxStrangerBytes,
  refusal: () => missingKey(`Without an API key a request has at most ${maxStrangerBytes} bytes.`),
};

/**
 * @throws ServiceError `malformed_request` for no request, or too much nesting; `missing_credentials` for a large one without
 * a caller; as {@link parseJson}
 */
export const readRequest = (): Stage => (exchange) => {
  const { http, caller } = exchange;
  const body = http.method === 'GET' ? parametersIn(http.url) : http.json(caller === null ? strangerBody : undefined);
  return body instanceof Promise
    ? body.then((parsed: unknown) => keepSent(exchange, parsed))
    : keepSent(exchange, body);
};

function keepSent(exchange: Exchange, body: unknown): null {
  exchange.sent = shallow(requestIn(body));
  return null;
}

function requestIn(body: unknown): SentParameters {
  if (Array.isArray(body)) {
    throw malformedRequest('Send one request at a time: batches are not supported.');
  }
  if (typeof body === 'object' && body !== null) return withoutEmptyTexts(body);
  throw malformedRequest('The body must be a JSON object.');
}

/** Empty texts stand for what is absent, as in a URL. Other members are ignored: clients send some of their own. */
function withoutEmptyTexts(sent: SentParameters): SentParameters {
  const { operationName, variables, extensions } = sent;
  if (operationName !== '' && variables !== '' && extensions !== '') return sent;
  const given = (value: unknown) => (value === '' ? null : value);
  return {
    ...sent,
    operationName: given(operationName),
    variables: given(variables),
    extensions: given(extensions),
  };
}

/** Texts, or JSON; an empty one counts as missing. */
function parametersIn(url: string): SentParameters {
  const query = parametersOfUrl(url);
  const text = (name: string) => query(name)[0] || null;
  const json = (name: string): SentParameters['variables'] => {
    const sent = text(name);
    return sent === null ? null : parseJson(sent, `The query parameter ${name}`);
  };
  return {
    query: text('query'),
    documentId: text('documentId'),
    doc_id: text('doc_id'),
    operationName: text('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

function shallow<T>(request: T): T {
  if (isShallow(request)) return request;
  throw tooDeep('The request');
}

/** Identifies and counts, by key or else by address. @throws ServiceError as {@link Admission} */
export const admit =
  ({ admitAnyone }: Admission): Stage =>
  (exchange) => {
    const caller = admitAnyone(exchange.http);
    if (caller instanceof Promise) return caller.then((found) => keepCaller(exchange, found));
    return keepCaller(exchange, caller);
  };

function keepCaller(exchange: Exchange, caller: Caller | null): null {
  exchange.caller = caller;
  return null;
}

export interface FindDocumentOptions {
  readonly findDocument: DocumentFinder;
  readonly persistedQueries: PersistedQueries;
}

/**
 * Resolves an id or a hash to its document, and keeps one that comes with its hash.
 * @throws as {@link DocumentFinder}; GraphQLError for parameters outside of GraphQL over HTTP
 */
export const findDocument =
  ({ findDocument: find, persistedQueries }: FindDocumentOptions): Stage =>
  (exchange) => {
    const { http, sent } = exchange;
    const { text, newHash } = find(sent, http);
    if (text !== null && newHash !== undefined) {
      requireHash(newHash, text);
      // Without a key, anybody could make it forget what others need.
      if (apiKeyOf(http)) persistedQueries.add(newHash, text);
    }
    exchange.text = requireText(text, sent);
    exchange.variables = requireObject('variables', sent.variables) ?? {};
    requireObject('extensions', sent.extensions);
    return null;
  };

const getOrPost = { Allow: 'GET, POST' };

function requireText(text: string | null, { query }: SentParameters): string {
  if (text !== null) return text;
  if (query === undefined || query === null || query === '') {
    throw badRequest('Must provide query string.', { headers: getOrPost });
  }
  throw badRequest(`Expected "query" param to be a string, but given ${jsonTypeOf(query)}.`, { headers: getOrPost });
}

function requireObject(name: string, value: unknown): Values | null {
  if (value === undefined || value === null) return null;
  if (isObject(value)) return value;
  throw badRequest(`Expected "${name}" param to be empty or an object, but given ${jsonTypeOf(value)}.`, {
    headers: getOrPost,
  });
}

const jsonTypeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

export interface KnowOperationOptions {
  readonly documentOf: DocumentOf;
}

/**
 * Parses the document and chooses the operation, for the log and telemetry too. A new document waits for its turn.
 * @throws LimitError for a document too large or too slow to validate; GraphQLError for any other refusal
 */
export const knowOperation =
  ({ documentOf }: KnowOperationOptions): Stage =>
  (exchange) => {
    const { text } = exchange;
    const turn = documentOf.remembers(text) ? null : exchange.turnBefore(weightOfText(text));
    return turn === null ? know(exchange, documentOf) : turn.then(() => know(exchange, documentOf));
  };

function know(exchange: Exchange, documentOf: DocumentOf): null {
  const { http, sent, text } = exchange;
  const document = parsed(documentOf, text);
  const name = sent.operationName ?? null;
  const operation = name === null || typeof name === 'string' ? document.find(name) : undefined;
  if (operation === undefined) throw badRequest(noOperation(document.operationNames, name));
  exchange.operation = operation;
  Object.assign(http.facts, operation.facts);
  if (document.schemaError !== null) throw document.schemaError;
  if (operation.isMutation && http.method === 'GET') {
    const allowed = { status: 405, headers: { Allow: 'POST' } };
    throw badRequest('Can only perform a mutation operation from a POST request.', allowed);
  }
  return null;
}

function noOperation(names: readonly string[], wanted: unknown): string {
  if (names.length === 0) return 'The document has no operation.';
  const existing = `The document has ${shortList(names)}.`;
  if (typeof wanted !== 'string') return `operationName must be the name of an operation. ${existing}`;
  return `No operation has the name ${shortened(wanted)}. ${existing}`;
}

function parsed(documentOf: DocumentOf, text: string): KnownDocument {
  try {
    return documentOf(text);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const { message, source, positions } = error;
    // Only a syntax error has no valid document.
    const extensions = { code: 'GRAPHQL_PARSE_FAILED' };
    throw new GraphQLError(message, { source, positions, extensions });
  }
}

const wholeSchema = 'The whole schema is at /schema.graphql.';

export interface LimitOptions {
  readonly maxCost: number;
}

/** Before validation, which can take minutes for a malicious document. @throws LimitError */
export const limit =
  ({ maxCost }: LimitOptions): Stage =>
  (exchange) => {
    const { operation, http, variables } = exchange;
    const most = operation.isIntrospection ? Math.min(maxCost, maxIntrospectionCost) : maxCost;
    const counted = operation.costOf(variables);
    const cost = operation.isOfTool ? Math.min(counted, most) : counted;
    exchange.cost = { requestedCost: cost, limit: most };
    http.facts.cost = cost;
    if (cost > most) throw new LimitError('cost', most, cost, operation.isIntrospection ? wholeSchema : undefined);
    return null;
  };

/** Refuses an invalid document. Its errors are found once, as long as it is remembered. */
export const validate = (): Stage => (exchange) => {
  const { errors } = exchange.operation.source;
  return errors.length === 0 ? null : refusedWith(exchange, errors);
};

/** What presenting an error weighs. */
const weightOfError = 25;

/** Telling many errors takes its turn: whoever sends nothing but invalid requests would hold up all others. */
function refusedWith(exchange: Exchange, errors: readonly GraphQLError[]): ReturnType<Stage> {
  const refused = { result: { errors } };
  const turn = exchange.turnBefore(errors.length * weightOfError);
  return turn === null ? refused : turn.then(() => refused);
}

/** Only introspection is keyless. @throws ServiceError `missing_credentials` */
export const authorize =
  (): Stage =>
  ({ caller, operation }) => {
    if (caller === null && !operation.isIntrospection) throw missingKey();
    return null;
  };

export const coerce = (): Stage => (exchange) => {
  const coerced = exchange.operation.coerce(exchange.variables);
  if ('errors' in coerced) return refusedWith(exchange, coerced.errors);
  exchange.values = coerced.values;
  return null;
};

/**
 * A subscription to no field: graphql-js takes the first one that `@skip` and `@include` leave, if there is one or not.
 * @throws ServiceError `invalid_parameters`
 */
export const requireEvent =
  (): Stage =>
  ({ operation, values }) => {
    if (!operation.isSubscription) return null;
    const variables = variablesOf(operation.node, values);
    const { fields } = collectFields([operation.node.selectionSet], fragmentsOf(operation.document), {
      includes: (selection) => includedBy(selection, variables),
      applies: () => true,
    });
    if (fields.size > 0) return null;
    throw new ServiceError('invalid_parameters', {
      detail: 'The subscription selects no field: @skip and @include leave out the one that it has.',
    });
  };

export interface LookUpOptions {
  readonly responseCache: ResponseCache | null;
}

export const lookUp =
  ({ responseCache }: LookUpOptions): Stage =>
  (exchange) => {
    const { caller, operation, variables, http } = exchange;
    // An introspection needs no caller.
    if (responseCache === null || caller === null || operation.type !== 'query') return null;
    const found = responseCache.lookup({ request: http, caller, operation, variables });
    return found instanceof Promise ? found.then((lookup) => keep(exchange, lookup)) : keep(exchange, found);
  };

function keep(exchange: Exchange, lookup: CacheLookup | null): Outcome | null {
  exchange.cached = lookup;
  return lookup?.body ? { body: lookup.body } : null;
}
