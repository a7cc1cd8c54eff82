/**
 * The request of a delivery. The gateway keeps no requests: it builds each from the event and the webhook when it sends it, as
 * is done here again. A test compares the two.
 */

/** Sources whose payloads have all that there is, whatever the webhook maps. */
const wholeSources = new Set(['ACCOUNT_STATUS']);

/** Reads JSON so that numbers keep their digits when they are printed again, where the browser can. */
const keepDigits = (_key, value, context) =>
  typeof value === 'number' && context?.source !== undefined && String(value) !== context.source && JSON.rawJSON
    ? JSON.rawJSON(context.source)
    : value;

/** Reads a result with numbers as they were sent. */
export const readExactly = async (response) => JSON.parse(await response.text(), keepDigits);

const asText = (value) => {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

export const isWhole = (source) => wholeSources.has(source);

const isAll = ({ event }, { source }) => event === null || isWhole(source);

function fieldsOf(delivery, webhook) {
  const { event, notice, accountId, accountType, data } = delivery;
  const values = { ...data, account_id: accountId, account_type: accountType, webhook_name: webhook.name };
  const chosen = isAll(delivery, webhook)
    ? Object.keys(values).map((key) => ({ name: key, key }))
    : webhook.data.map(({ name, key }) => ({ name, key: key.toLowerCase() }));
  const fields = chosen.filter(({ name, key }) => name !== 'event' && Object.hasOwn(values, key));
  return [
    ['event', (event ?? notice ?? 'trigger').toLowerCase()],
    ...fields.map(({ name, key }) => [name, values[key]]),
  ];
}

/**
 * @param {object} delivery with its data and accountType
 * @returns {string | null} null where the key cannot see all of it
 */
export function bodyOf(delivery, webhook) {
  const isTypeUnknown = delivery.accountId !== null && delivery.accountType === null;
  const hasType = isAll(delivery, webhook) || webhook.data.some(({ key }) => key === 'ACCOUNT_TYPE');
  if (delivery.data === null || (isTypeUnknown && hasType)) return null;
  return bodyOfFields(fieldsOf(delivery, webhook), webhook.format);
}

/** @param {[string, unknown][]} fields @param {number} [indent] for people */
export const bodyOfFields = (fields, format, indent = 0) =>
  format === 'FORM'
    ? new URLSearchParams(fields.map(([name, value]) => [name, asText(value)])).toString()
    : JSON.stringify(Object.fromEntries(fields), null, indent);

const contentTypes = { JSON: 'application/json', FORM: 'application/x-www-form-urlencoded' };

/**
 * @param {{ startedAt: string } | null} attempt null before the first
 * @param {string | null} signature null where nobody has computed it
 * @returns {{ method: string, url: URL | null, headers: [string, string][], body: string | null }}
 */
export function requestOf(delivery, webhook, attempt, signature) {
  const own = webhook.headers.map(({ key, value }) => [key.toLowerCase(), value]);
  const isOwn = (name) => own.some(([each]) => each === name);
  const body = bodyOf(delivery, webhook);
  const headers = [
    ['content-type', contentTypes[webhook.format]],
    ['user-agent', 'Postern'],
  ].filter(([name]) => !isOwn(name));
  const timestamp = timestampOf(attempt);
  return {
    method: 'POST',
    url: URL.parse(webhook.requestUrl),
    headers: [
      ...headers,
      ['webhook-id', delivery.deliveryId],
      ...(timestamp === null ? [] : [['webhook-timestamp', timestamp]]),
      ...(signature === null ? [] : [['webhook-signature', signature]]),
      ...own,
    ],
    body,
  };
}

export const timestampOf = (attempt) =>
  attempt === null ? null : String(Math.floor(Date.parse(attempt.startedAt) / 1000));

/** The signature of Standard Webhooks. @param {string} secret `whsec_…` @throws {Error} for what is no secret */
export async function sign(secret, { id, timestamp, body }) {
  const bytes = Uint8Array.from(atob(secret.trim().replace(/^whsec_/, '')), (char) => char.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`${id}.${timestamp}.${body}`));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`;
}

/** As it stands in HTTP. */
export const asHttp = ({ method, url, headers, body }) =>
  [
    `${method} ${url ? url.pathname + url.search : '/'} HTTP/1.1`,
    ...(url ? [`host: ${url.host}`] : []),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    body ?? '',
  ].join('\n');

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** As a command for a shell. */
export const asCurl = ({ method, url, headers, body }) =>
  [
    `curl -X ${method} ${quoted(url?.href ?? '')}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body ?? '')}`,
  ].join(' \\\n  ');
