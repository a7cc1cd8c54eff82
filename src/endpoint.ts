/** What an endpoint of the contract is made of. Routing, the OpenAPI document and the tests all read the same tables. */
import type { z } from 'zod';
import type { AnyOperation } from './operation.ts';

/** The endpoints by the contract's names for them. */
export const endpointNames = ['EDIT', 'POSTS', 'WHLIST', 'WHCREATE', 'WHDEL', 'PUB', 'CHK'] as const;
export type EndpointName = (typeof endpointNames)[number];

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** How the text of a query parameter becomes a value of the shape. What fits no value stays text: the shape refuses it. */
export type QueryKind = 'text' | 'cursor' | 'integer' | 'boolean';

export interface Endpoint {
  /** The contract's short name of it, as in the columns of its error tables. */
  readonly name: EndpointName;
  readonly method: Method;
  /** Below the prefix; the names in braces are fields of the operation's request. */
  readonly path: string;
  readonly summary: string;
  /** Is given the path's ids, the query's parameters and the body's fields as one flat object. */
  readonly operation: AnyOperation<object>;
  /** Status of a success, and what it looks like. */
  readonly status: 200 | 201;
  readonly answer: z.ZodType;
  /** The query parameters that are read; every other one is left alone. */
  readonly query?: Readonly<Record<string, QueryKind>>;
  /** Whether the body is read. */
  readonly body?: true;
}

/** The names in the braces of a path. */
export const pathIds = ({ path }: Pick<Endpoint, 'path'>): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
