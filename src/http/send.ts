/** Sends responses: bodies, pages and refusals. */
import { fromUnknown, malformedRequest, type ServiceError, toEnvelope } from '../kernel/errors.ts';
import { isAbandonment } from '../kernel/lib/abort-signal.ts';
import { stringify } from '../kernel/lib/json-text.ts';
import type { Compress } from './compression.ts';
import { pageHeaders } from './headers.ts';
import { httpStatusOf } from './http-refusal.ts';
import type { IncomingRequest } from './incoming-request.ts';

export const jsonType = 'application/json; charset=utf-8';

type Answered = Pick<IncomingRequest, 'send'>;

export const sendBody = (request: Answered, status: number, contentType: string, body: Uint8Array | string): void =>
  request.send(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }, body);

export const sendJson = (request: Answered, status: number, value: unknown): void =>
  sendBody(request, status, jsonType, stringify(value));

export async function sendCompressible(
  request: IncomingRequest,
  status: number,
  contentType: string,
  body: Uint8Array | string,
  compress: Compress | null,
): Promise<void> {
  const compressed = compress?.(request, body) ?? null;
  const bytes = await compressed?.bytes;
  if (compressed !== null) request.addHeaders({ 'content-encoding': compressed.coding });
  sendBody(request, status, contentType, bytes ?? body);
}

export function sendPage(request: IncomingRequest, policy: string, html: string, status = 200): void {
  request.addHeaders(pageHeaders(policy));
  sendBody(request, status, 'text/html; charset=utf-8', html);
}

export type Refuse = (request: IncomingRequest, failure: ServiceError) => void | Promise<void>;

export const refuseWithEnvelope: Refuse = (request, failure) =>
  sendJson(request, httpStatusOf(failure), toEnvelope(failure, request.id));

export async function sendRefusal(
  request: IncomingRequest,
  error: unknown,
  {
    adjust = (failure) => failure,
    refuse: respond = refuseWithEnvelope,
  }: { readonly adjust?: (failure: ServiceError) => ServiceError; readonly refuse?: Refuse | undefined } = {},
): Promise<void> {
  // The client has gone in the middle of its body: no failure of ours, and no reader.
  const isBrokenOff = request.raw.errored instanceof Error;
  const failure = adjust(isBrokenOff ? brokenOff() : fromUnknown(error));
  logFailure(failure, request);
  const { response, facts } = request;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  request.addHeaders(failure.headers);
  facts.errors = [failure.type];
  await respond(request, failure);
}

const brokenOff = () => malformedRequest('The connection was closed before the whole body had arrived.');

/** Logs failures from status 500 on: as errors, unless the gateway refused on purpose. */
export function logFailure(
  failure: ServiceError,
  request: Pick<IncomingRequest, 'log' | 'clientAborted'>,
  fields: object = {},
): void {
  const { status, type, detail, cause } = failure;
  if (status < 500 || (isAbandonment(cause) && request.clientAborted.aborted)) return;
  const { log } = request;
  // A limit or a stop has no cause to correct.
  if (status === 503 && cause === undefined) log.info({ ...fields, type, detail }, 'request refused');
  else log.error({ ...fields, err: cause ?? failure, type }, 'request failed');
}
