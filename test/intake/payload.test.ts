/** Bodies as services send them: what is read of them, and what is refused. */
import { describe, expect, test } from 'vitest';
import { translatorOfEvents } from '../../src/app/backends/upstream-backend.ts';
import { readEvent, readFields } from '../../src/app/intake/payload.ts';

const readJson = (text: string) => readFields('application/json', text, 'messaging', 'message_received');
const readForm = (text: string) =>
  readFields('application/x-www-form-urlencoded', text, 'messaging', 'message_received');

describe('a payload', () => {
  test.each([
    ['the first half of a character', String.raw`a\ud83d`, 'a\ufffd'],
    ['the second half of a character', String.raw`\uDE00b`, '\ufffdb'],
    ['halves in the wrong order', String.raw`\ude00\ud83d`, '\ufffd\ufffd'],
    ['a whole character', String.raw`\ud83d\ude00`, '\u{1f600}'],
    ['a backslash before the letters', String.raw`\\ud83d`, String.raw`\ud83d`],
  ])('is read with %s', (_, text, message) => {
    expect(readJson(`{"message":"${text}"}`)).toEqual({ message });
  });

  test('as a form has a bounded number of fields', () => {
    expect(readForm('message=1&message=2')).toEqual({ message: '2' });
    expect(() => readForm('is_group=[&'.repeat(2_000))).toThrow('at most 1000 fields');
  });

  test.each([
    ['at the top', { account_id: 'a', account_type: 'NETWORK' }],
    ['one level below', { AccountStatus: { account_id: 'a', account_type: 'NETWORK' } }],
  ])("has the service's word for the type of the account translated %s", (_, fields) => {
    const translate = translatorOfEvents({ account_types: { PNET: 'NETWORK' } });
    expect(readEvent('account_status', translate(fields))).toMatchObject({ accountId: 'a', accountType: 'PNET' });
  });

  test('keeps the digits of numbers in translation', () => {
    const translate = translatorOfEvents({});
    const text = '{"message_id":7615917337495251231,"sender":{"id":7615917337495251231}}';
    expect(JSON.stringify(translate(readJson(text)))).toBe(text);
  });
});
