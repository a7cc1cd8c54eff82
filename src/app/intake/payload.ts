/** What a service posts for an event: JSON, or a form whose objects are JSON text. */
import { isServiceId } from '../../auth/account-rule.ts';
import { emittableKeys, ownKeys } from '../../events/event.ts';
import { sampleData } from '../../events/samples.ts';
import { type WebhookEvent, type WebhookSource, webhookSources } from '../../events/sources.ts';
import { malformedRequest, ServiceError } from '../../kernel/errors.ts';
import { isShallow, maxJsonDepth, parseJson, withDigits } from '../../kernel/lib/json-text.ts';
import { isObject } from '../../kernel/lib/objects.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ReceivedEvent {
  /** Null where the payload does not tell. */
  readonly accountId: string | null;
  readonly accountType: string | undefined;
  readonly accountName: string | undefined;
  readonly data: Fields;
}

/** @throws ServiceError `malformed_request` for a body that is no object */
export function readFields(contentType: string, text: string, source: WebhookSource, event: WebhookEvent): Fields {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType);
  const fields = isForm ? fieldsOfForm(text, source, event) : parseJson(withoutLoneSurrogates(text));
  if (!isObject(fields)) throw malformedRequest('The body must be a JSON object.');
  if (!isShallow(fields)) {
    throw malformedRequest(`The body has more than ${maxJsonDepth} levels.`);
  }
  const refused = withDigits(fields);
  if (refused !== undefined) throw malformedRequest('The body has a number that JSON readers cannot hold.');
  return fields;
}

/** A service cuts texts in the middle of a character, and would send the event in vain for ever. */
const withoutLoneSurrogates = (text: string): string =>
  /\\ud/i.test(text) ? text.replace(escapes, (found) => (loneSurrogate.test(found) ? '\\ufffd' : found)) : text;

/** A pair is one. */
const escapes = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|ud[89a-f][\da-f]{2}|.)/gi;
const loneSurrogate = /^\\u.{4}$/;

/** Bound of a form: events have less than a hundred. */
const maxFormFields = 1_000;

/** A form has texts only: the sample of the event says what else a field is. */
function fieldsOfForm(text: string, source: WebhookSource, event: WebhookEvent): Fields {
  if (text.split('&', maxFormFields + 1).length > maxFormFields) {
    throw new ServiceError('content_too_large', { detail: `A form can have at most ${maxFormFields} fields.` });
  }
  const sample = sampleData(source, event, new Date(0));
  return Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [name, valueOfText(value, sample[name])]),
  );
}

function valueOfText(text: string, sample: unknown): unknown {
  if (typeof sample === 'string') return text;
  if (sample === undefined || sample === null ? !/^[[{]/.test(text) : text === '') return text === '' ? null : text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** @throws ServiceError `malformed_request` for a payload without any field of its source, or with an unusable account */
export function readEvent(source: WebhookSource, fields: Fields): ReceivedEvent {
  const account = accountIn(fields, webhookSources[source].mapping === 'all');
  if (account.accountId !== null && !isServiceId(account.accountId)) {
    throw malformedRequest('The account id of the event is malformed.');
  }
  if (webhookSources[source].mapping === 'all') {
    if (Object.keys(fields).length === 0) throw noEvent(source);
    // Whole: the contract says nothing of its form.
    const data = Object.fromEntries(
      Object.entries(fields).filter(([name]) => !ownKeys.includes(name) && name !== 'event'),
    );
    return { ...account, data };
  }
  const data = Object.fromEntries(
    emittableKeys(source).flatMap((key) => (Object.hasOwn(fields, key) ? [[key, fields[key]]] : [])),
  );
  if (Object.keys(data).length === 0) throw noEvent(source);
  return { ...account, data };
}

const noEvent = (source: WebhookSource) => malformedRequest(`The body has no field of the source ${source}.`);

/** Bound of types of accounts; longer ones are none. */
const maxWordLength = 100;

/** At the top, or one level below where the payload has no documented form: elsewhere, others' words stand there. */
function accountIn(fields: Fields, isFree: boolean): Omit<ReceivedEvent, 'data'> {
  const inner = isFree ? Object.values(fields).filter(isObject) : [];
  const told = [fields, ...inner].find((object) => textsOf(object)('account_id') !== undefined);
  const text = textsOf(told ?? fields);
  return {
    accountId: text('account_id') ?? null,
    accountType: text('account_type')?.slice(0, maxWordLength).replaceAll('\0', '\uFFFD'),
    accountName: text('account_name'),
  };
}

const textsOf =
  (object: Fields) =>
  (...names: readonly string[]): string | undefined =>
    names.map((name) => textIn(object[name])).find((text) => text !== '');

/** Services write ids as numbers, too. */
const textIn = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || isRawJSON(value) ? JSON.stringify(value) : '';
};

const { isRawJSON } = JSON as JSON & { isRawJSON(value: unknown): boolean };
