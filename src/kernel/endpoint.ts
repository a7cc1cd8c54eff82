/** The contract's endpoints, one row each: routes, OpenAPI, the upstream client and tests derive from them. */
import { z } from 'zod';
import type { ErrorName } from './errors.ts';
import type { AnyOperation } from './operation.ts';

/** Short names, as in the columns of the contract's error tables. */
export const endpointNames = ['EDIT', 'POSTS', 'WHLIST', 'WHCREATE', 'WHDEL', 'PUB', 'CHK'] as const;
export type EndpointName = (typeof endpointNames)[number];

export const version = 'v1';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** How a query parameter's text becomes a value. Other text is left for the shape to refuse. */
export type QueryKind = 'text' | 'cursor' | 'integer' | 'boolean';

/** Vocabulary terms in a body: `items.*.attachments.*.type` → `attachment_types`; `*` is every entry. */
export type TermPlaces<Vocabulary extends string = string> = Readonly<Record<string, Vocabulary>>;

export interface ContractEndpoint<Vocabulary extends string = string> {
  readonly name: EndpointName;
  readonly operationId: string;
  /** The endpoints of one capability share circuit breakers: they tend to fail together. */
  readonly capability: string;
  readonly method: Method;
  /** Below the version; names in braces are fields of the request. */
  readonly path: string;
  readonly summary: string;
  /** Takes parameters and body fields as one flat object. */
  readonly operation: AnyOperation<object>;
  readonly status: 200 | 201;
  readonly response: z.ZodType;
  readonly query?: Readonly<Record<string, QueryKind>>;
  readonly body?: true;
  /** For an id that no path can carry. */
  readonly malformedId: ErrorName;
  /** The subject of a 401 or 403: the request's account, as in the error table, or the API key. */
  readonly refusesFor: 'account' | 'key';
  readonly terms: { readonly request: TermPlaces<Vocabulary>; readonly response: TermPlaces<Vocabulary> };
}

/** Names of parameters, not their values. */
export const templateOf = ({ path }: Pick<ContractEndpoint, 'path'>): string => `/${version}${path}`;

export const pathParameters = ({ path }: Pick<ContractEndpoint, 'path'>): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

/** Each constant of a field over the variants of a shape: of `object` in PUB's response, both type names. */
export function constantsOf(shape: z.core.$ZodType, field: string): string[] {
  if (shape instanceof z.ZodDiscriminatedUnion) {
    return [...new Set(shape.options.flatMap((option) => constantsOf(option, field)))];
  }
  const constant = shape instanceof z.ZodObject ? shape.shape[field] : undefined;
  return constant instanceof z.ZodLiteral ? [...constant.values].map(String) : [];
}
