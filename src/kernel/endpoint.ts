/**
 * The endpoints of the contract, each stated once as a row of its capability's table (`endpoints.ts`). The REST face
 * routes by these rows, the OpenAPI document describes them, the upstream client calls them, and the tests derive from
 * them.
 */
import { z } from 'zod';
import type { ErrorName } from './errors.ts';
import type { AnyOperation } from './operation.ts';

/** The contract's short names of its endpoints, as in the columns of its error tables. */
export const endpointNames = ['EDIT', 'POSTS', 'WHLIST', 'WHCREATE', 'WHDEL', 'PUB', 'CHK'] as const;
export type EndpointName = (typeof endpointNames)[number];

/** The first segment of every path of the contract. */
export const version = 'v1';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * How the text of a query parameter becomes a value of the shape. Text that is no such value is left for the shape to
 * refuse.
 */
export type QueryKind = 'text' | 'cursor' | 'integer' | 'boolean';

/**
 * Where the terms of a vocabulary stand in a JSON body: `items.*.attachments.*.type` → `attachment_types`. `*` stands
 * for every entry of a list.
 */
export type TermPlaces<Vocabulary extends string = string> = Readonly<Record<string, Vocabulary>>;

/** @typeParam Vocabulary the names of the capability's vocabularies */
export interface ContractEndpoint<Vocabulary extends string = string> {
  readonly name: EndpointName;
  /** The id of the operation in the OpenAPI document. */
  readonly operationId: string;
  /** The endpoints of one capability share circuit breakers: they tend to fail together. */
  readonly capability: string;
  readonly method: Method;
  /** Below the version. The names in braces are fields of the request. */
  readonly path: string;
  readonly summary: string;
  /** Takes the path parameters, the query parameters and the fields of the body as one flat object. */
  readonly operation: AnyOperation<object>;
  /** The status of a success, and its body. */
  readonly status: 200 | 201;
  readonly response: z.ZodType;
  /** The query parameters that are read. Others are ignored. */
  readonly query?: Readonly<Record<string, QueryKind>>;
  /** Whether the request has a body. */
  readonly body?: true;
  /** The error for an id that no path can carry. */
  readonly malformedId: ErrorName;
  /** What a 401 or 403 refuses: the account that the request names, as the error table says, or the API key. */
  readonly refusesFor: 'account' | 'key';
  /** Where the bodies hold terms that an upstream service may spell differently. */
  readonly terms: { readonly request: TermPlaces<Vocabulary>; readonly response: TermPlaces<Vocabulary> };
}

/** The names in the braces of a path, in their order. */
export const pathParameters = ({ path }: Pick<ContractEndpoint, 'path'>): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

/**
 * The constants that a field has in the variants of a shape, each once: for `object` in the response of PUB,
 * `PnetJobPostingPublished` and `PnetJobPostingPublishCheckpoint`.
 */
export function constantsOf(shape: z.core.$ZodType, field: string): string[] {
  if (shape instanceof z.ZodDiscriminatedUnion) {
    return [...new Set(shape.options.flatMap((option) => constantsOf(option, field)))];
  }
  const constant = shape instanceof z.ZodObject ? shape.shape[field] : undefined;
  return constant instanceof z.ZodLiteral ? [...constant.values].map(String) : [];
}
