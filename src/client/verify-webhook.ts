/** A request of a webhook, as it arrived. */
export interface WebhookRequest {
  /** Those of `fetch`, or an object such as that of Node.js. The case of names does not matter. */
  readonly headers: Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body, as text or bytes: parsed JSON cannot be verified. */
  readonly body: string | ArrayBuffer | Uint8Array<ArrayBuffer>;
}

export interface VerifyOptions {
  /** How far the time of the signature may be from now. 300 by default. */
  readonly toleranceSeconds?: number;
  /** Epoch milliseconds. `Date.now` by default. */
  readonly now?: () => number;
}

/** What a webhook sends, by the names of its `data`. A form has texts, in which objects and lists are JSON. */
export interface WebhookPayload {
  /** The event, such as `new_relation`. */
  readonly event: string;
  readonly [name: string]: unknown;
}

export interface VerifiedWebhook<Payload> {
  /** The same in all attempts and redeliveries of a delivery: skip what you have processed. */
  readonly id: string;
  readonly sentAt: Date;
  readonly payload: Payload;
}

export type WebhookErrorCode = 'MISSING_HEADER' | 'WRONG_SIGNATURE' | 'WRONG_TIME' | 'UNREADABLE_BODY';

/** Why a request is not to be processed. With `UNREADABLE_BODY` it is signed, but has no JSON object and no form. */
export class WebhookError extends Error {
  override name = 'WebhookError';
  readonly code: WebhookErrorCode;
  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Verifies that the gateway has signed a request, by Standard Webhooks, and reads its body.
 * @param secrets of the webhook, `whsec_…`; several while a receiver takes over another one
 * @throws WebhookError if the request is not to be processed
 * @throws TypeError if a secret is none
 */
export async function verifyWebhook<Payload = WebhookPayload>(
  { headers, body }: WebhookRequest,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: VerifyOptions = {},
): Promise<VerifiedWebhook<Payload>> {
  const header = (name: string) => headerOf(headers, name) ?? '';
  const [id = '', time = '', signature = ''] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header);
  if (!id || !time || !signature)
    throw new WebhookError('MISSING_HEADER', 'The request has not all headers of a webhook.');
  const seconds = /^\d{1,15}$/.test(time) ? Number(time) : Number.NaN;
  if (!(Math.abs(now() / 1_000 - seconds) <= toleranceSeconds))
    throw new WebhookError('WRONG_TIME', `The request was signed at ${time}, too far from now.`);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = await new Blob([`${id}.${time}.`, bytes]).arrayBuffer();
  const keys = await Promise.all([secrets].flat().map(keyOf));
  const given = signature
    .split(' ')
    .flatMap((each) => (/^v1,[\w+/]{43}=$/.test(each) ? (bytesOf(each.slice(3)) ?? []) : []));
  // The body is hashed once for each secret, however many signatures a stranger lists.
  const expected = await Promise.all(keys.map((key) => crypto.subtle.sign('HMAC', key, signed)));
  if (!expected.some((mac) => given.some((each) => isEqual(each, new Uint8Array(mac)))))
    throw new WebhookError('WRONG_SIGNATURE', 'The request was not signed with the secret.');
  const payload = payloadIn(new TextDecoder().decode(bytes), header('content-type')) as Payload;
  return { id, sentAt: new Date(seconds * 1_000), payload };
}

function headerOf(headers: WebhookRequest['headers'], name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return found === undefined ? undefined : String(found);
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const key = bytesOf(secret.replace(/^whsec_/, ''));
  if (!key?.length) throw new TypeError('A secret of a webhook is whsec_ and base64.');
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

/** Takes the same time wherever they differ. */
const isEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.reduce((differing, byte, at) => differing | (byte ^ (other[at] ?? 0)), 0) === 0;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
  } catch {
    return null;
  }
}

function payloadIn(text: string, type: string): unknown {
  if (/^application\/x-www-form-urlencoded/i.test(type)) return Object.fromEntries(new URLSearchParams(text));
  try {
    const payload = JSON.parse(text);
    if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload;
  } catch {
    // Said below.
  }
  throw new WebhookError('UNREADABLE_BODY', 'The body is no JSON object.');
}
