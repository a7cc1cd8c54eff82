/** Numbers of callers that are none of JavaScript's: they keep their digits, or are refused. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseWithDigits, stringify } from '../../src/kernel/lib/json-text.ts';
import { databases } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';

const kept = ['7615917337495251231', '-90071992547409931', '0.12345678901234567890123', '1.0000000000000000001e3'];
const refused = ['1e400', '-1e999999', '1e-400', '9'.repeat(1_001)];

const mutation = (data: string, variables = '') =>
  `mutation${variables} { emitEvent(input: { accountId: "A", event: MESSAGE_RECEIVED, data: ${data} }) { __typename ... on ServiceError { message } } }`;

const ways = {
  variables: (json: string) =>
    `{"query":${JSON.stringify(mutation('$data', '($data: JSON!)'))},"variables":{"data":{"message_id":${json},"attachments":[{"size":${json}}]}}}`,
  literals: (json: string) =>
    JSON.stringify({ query: mutation(`{ message_id: ${json}, attachments: [{ size: ${json} }] }`) }),
};

async function start(dialect: (typeof databases)[number]) {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const gateway = await startDelivering({ dialect });
  onTestFinished(() => gateway.close());
  const headers = { 'x-api-key': gateway.space.key, 'content-type': 'application/json' };
  const [account] = await gateway.app.database.selectFrom('accounts').select('id').execute();
  for (const format of ['json', 'form']) {
    const body = JSON.stringify({ source: 'messaging', request_url: receiver.address, format });
    const created = await fetch(`${gateway.address}/v1/webhooks`, { method: 'POST', headers, body });
    expect(created.status).toBe(201);
  }
  const post = async (body: string) =>
    (
      await fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers,
        body: body.replace(/\\"A\\"/, `\\"${account?.id}\\"`),
      })
    ).text();
  return { receiver, gateway, post };
}

describe.each(databases.map((dialect) => [dialect.name, dialect] as const))('on %s', (_name, dialect) => {
  test.each(Object.entries(ways))('numbers in %s are delivered and shown with their digits', async (_way, write) => {
    const { receiver, gateway, post } = await start(dialect);
    for (const json of kept) expect(await post(write(json))).toContain('"EventEmitted"');
    await gateway.delivery.worker.idle();
    const bodies = receiver.received.map(({ body }) => decodeURIComponent(body));
    const shown = await post('{"query":"{ deliveries { nodes { data } } }"}');
    for (const json of kept) {
      expect(bodies.filter((body) => body.includes(json))).toHaveLength(2);
      expect(bodies.filter((body) => body.includes(`"size":${json}`))).toHaveLength(2);
      expect(shown).toContain(`"message_id":${json},`);
    }
  });

  test.each(Object.entries(ways))('numbers in %s that no double comes near are refused', async (_way, write) => {
    const { receiver, gateway, post } = await start(dialect);
    for (const json of refused) expect(await post(write(json))).toMatch(/as large, small or long as/);
    await gateway.delivery.worker.idle();
    expect(receiver.received).toEqual([]);
  });
});

test.each(['1.0', '1e3', '0.1', '123456789012345680000', '-0.0'])(
  '%s is the number of JavaScript that it was',
  (json) => {
    expect(parseWithDigits(`[${json}]`)).toEqual([Number(json)]);
  },
);

test.each([
  ['a\ud800b', '"a\ufffdb"'],
  ['\udc00\ud83d\ude00\ud83d', '"\ufffd\u{1f600}\ufffd"'],
  [String.raw`\ud800`, String.raw`"\\ud800"`],
  ['\\\ud800', '"\\\\\ufffd"'],
])('a text is printed as valid Unicode: %j', (text, printed) => {
  expect(stringify(text)).toBe(printed);
});
