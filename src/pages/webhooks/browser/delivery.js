/** One delivery that is folded open: its attempts as a timeline, and the request and response of the chosen one. */
import { h } from './elements.js';
import { atSecond, duration, outcome, until } from './format.js';
import { passing } from './moments.js';
import { asCurl, asHttp, requestOf, timestampOf } from './request.js';
import { signatureOf } from './signatures.js';
import { badge } from './state-of-webhook.js';

const hidden = '********';

/** What a failure means, for whoever has to mend it. */
const causes = {
  ADDRESS_REFUSED: 'The address is not public, so nothing was sent.',
  CONNECTION_FAILED: 'No connection could be established: is the server up, and the port right?',
  CONNECTION_LOST: 'The connection closed before the response was complete.',
  INVALID_RESPONSE: 'The response was not valid HTTP.',
  NAME_NOT_FOUND: 'The host name could not be resolved.',
  TIMEOUT: 'The response was not complete within 15 seconds.',
  TLS_FAILED: 'The TLS handshake or the certificate failed.',
};

export const toneOf = (attempt) => {
  if (attempt === null) return 'quiet';
  return attempt.failure === null && attempt.status >= 200 && attempt.status < 300 ? 'good' : 'bad';
};

const place = (time, text) => h('span.moment', {}, h('small', {}, time), h('span', {}, text));

function timeline(delivery, attempts, chosen, { now, onAttempt }) {
  const { deliveryId, state, createdAt, nextAttemptAt } = delivery;
  const steps = attempts.map((attempt) =>
    h(
      'li',
      {},
      h(
        `button.moment.${toneOf(attempt)}`,
        {
          type: 'button',
          'data-key': `attempt-${deliveryId}-${attempt.number}`,
          'aria-pressed': String(attempt === chosen),
          onclick: () => onAttempt(deliveryId, attempt.number),
        },
        h('small', {}, atSecond(attempt.startedAt)),
        h('strong', {}, `${attempt.number}. ${outcome(attempt)}`),
        h('small', {}, duration(attempt.durationMs)),
      ),
    ),
  );
  const next = nextAttemptAt
    ? place(
        atSecond(nextAttemptAt),
        passing('span', (at) => `Next attempt ${until(nextAttemptAt, at)}`, now),
      )
    : null;
  return h(
    'ol.attempts',
    { 'aria-label': 'Timeline' },
    h('li', {}, place(atSecond(createdAt), 'Created')),
    ...steps,
    state === 'PENDING' ? h('li', {}, next ?? place('Now', 'Being sent')) : null,
    state === 'HELD' ? h('li', {}, place('Held', 'Until it is retried')) : null,
  );
}

const pre = (name, label, text) =>
  h('pre', { tabindex: '0', 'aria-label': label, 'data-scrolls': name, 'data-key': name }, text);

const headerRows = (headers) =>
  h('dl.headers', {}, ...headers.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));

/** The gateway shows a secret once: who has it can type it. It stays in this page. */
const signing = ({ deliveryId }, { secret, onSecret }) =>
  h(
    'label.sign',
    {},
    h('small', {}, 'To compute webhook-signature here, type the secret'),
    h('input', {
      type: 'password',
      autocomplete: 'off',
      placeholder: 'whsec_…',
      'data-key': `secret-${deliveryId}`,
      value: secret,
      oninput: ({ target }) => onSecret(target.value),
    }),
  );

function request(delivery, attempt, view) {
  const { webhook, secret, onCopy, onSigned } = view;
  const { deliveryId } = delivery;
  const unsigned = requestOf(delivery, webhook, attempt, null);
  const { body } = unsigned;
  const signature = signatureOf(secret, { id: deliveryId, timestamp: timestampOf(attempt), body }, onSigned);
  const sent = requestOf(delivery, webhook, attempt, signature);
  const isWhole = body !== null && !webhook.requestUrl.includes(hidden);
  const copy = (what, text, said) =>
    h(
      'button',
      { type: 'button', 'data-key': `copy-${what}-${deliveryId}`, onclick: () => onCopy(text, said) },
      `Copy${what === 'curl' ? ' as curl' : ''}`,
    );
  return h(
    'section.side',
    { 'aria-label': 'Request' },
    h(
      'div.heading',
      {},
      h('h4', {}, 'Request'),
      isWhole
        ? h(
            'div.actions',
            {},
            copy('request', asHttp(sent), 'The request is copied.'),
            copy('curl', asCurl(sent), 'The command is copied.'),
          )
        : null,
    ),
    h('p', {}, h('code', {}, `${sent.method} ${sent.url ? sent.url.pathname + sent.url.search : ''}`)),
    headerRows([...(sent.url ? [['host', sent.url.host]] : []), ...sent.headers]),
    body === null
      ? h('p.quiet', {}, 'Your key cannot see the account of this event, so it cannot see the body.')
      : pre(`body-${deliveryId}`, 'Body of the request', body),
    attempt === null || body === null || crypto.subtle === undefined ? null : signing(delivery, view),
    h('p.quiet', {}, 'Built anew from the event and the present settings of the webhook.'),
  );
}

function response(delivery, attempt) {
  const { status, failure, durationMs, responseBody, responseHeaders } = attempt;
  const text = responseBody === hidden ? 'Your key may not see the body.' : 'No body.';
  return h(
    'section.side',
    { 'aria-label': 'Response' },
    h(
      'div.heading',
      {},
      h('h4', {}, 'Response'),
      badge(outcome(attempt), toneOf(attempt)),
      h('small', {}, duration(durationMs)),
    ),
    failure === null ? null : h('p', {}, causes[failure] ?? null),
    status === null && failure === null ? h('p', {}, 'The gateway could not send the request. It tries again.') : null,
    headerRows(responseHeaders.map(({ key, value }) => [key, value])),
    responseBody === '' || responseBody === hidden
      ? status === null
        ? null
        : h('p.quiet', {}, text)
      : pre(`response-${delivery.deliveryId}`, 'Body of the response', responseBody),
    status === null && responseBody === ''
      ? null
      : h(
          'p.quiet',
          {},
          `Up to the first KiB of the body${toneOf(attempt) === 'good' ? '. Headers of a success are not kept.' : ', and a KiB of headers.'}`,
        ),
  );
}

/** The type of an account that the key sees only as one of the webhook. */
const typeOf = ({ accountId, account }, { accounts }) =>
  account?.type ?? accounts?.find((each) => each.accountId === accountId)?.type ?? null;

/** @param {object | undefined} read undefined until it was read; null if it is gone */
export function contents(read, delivery, view) {
  if (read === undefined) return h('div.skeleton.block', { role: 'status', 'aria-label': 'Loading …' });
  if (read === null) return h('p.quiet', {}, 'This delivery is no longer kept.');
  const { deliveryId, accountId, account } = delivery;
  const whole = { ...delivery, data: read.data, accountType: typeOf(delivery, view.webhook) };
  const attempts = read.attempts.nodes;
  const number = view.attemptOf.get(deliveryId);
  const attempt = attempts.find((each) => each.number === number) ?? attempts.at(-1) ?? null;
  return h(
    'div.contents',
    {},
    h(
      'p.quiet',
      {},
      h(
        'button.link',
        {
          type: 'button',
          'data-key': `copy-${deliveryId}`,
          title: 'Copy the id, the webhook-id of its requests',
          'aria-label': `Copy the id ${deliveryId}`,
          onclick: () => view.onCopy(deliveryId, 'The id is copied. Requests have it as webhook-id.'),
        },
        h('code', {}, deliveryId),
      ),
      accountId === null ? '' : ` · account ${account?.name ?? ''} ${accountId}`,
    ),
    timeline(delivery, attempts, attempt, view),
    h('div.sides', {}, request(whole, attempt, view), attempt === null ? null : response(delivery, attempt)),
  );
}
