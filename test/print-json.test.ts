import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createFairTurns, turnsOfRequest } from '../src/kernel/lib/fair-turns.ts';
import { printJson } from '../src/kernel/lib/json-text.ts';

const megabyte = 1_048_576;
const texts = {
  plain: 'x'.repeat(megabyte),
  escapes: 'say "hello"\n\\ \u0001 '.repeat(megabyte / 8),
  characters: '日本語 é '.repeat(megabyte / 8),
  'pairs of surrogates': `.${'😀'.repeat(megabyte / 2)}`,
  'halves of pairs': '\ud83d\ude00\ud83d.\ude00'.repeat(megabyte / 4),
};
const post = (text: string) => ({
  text,
  none: null,
  gone: undefined,
  counts: [1, -0, 1e21, undefined],
  yes: true,
  o: {},
});

const values: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [`a text of ${name}`, { data: { text } }])),
  'a list of posts': { data: { posts: Array.from({ length: 20_000 }, (_, at) => post(`text ${at}`)) } },
  'large texts in lists': { data: [Object.values(texts), [], [null, undefined, post(texts.escapes)]] },
  'a key that is escaped': { '"\n': texts.plain, after: undefined },
  'what is left out': { gone: undefined, text: texts.plain, also: undefined },
  'errors beside it': { errors: [new GraphQLError('a "message"', { path: ['a', 0] })], data: { text: texts.plain } },
  'a large error': { errors: [new GraphQLError(texts.escapes, { path: ['a'] })] },
  'what is small': { data: post('small') },
};

describe('prints as JSON.stringify does', () => {
  it.each(Object.entries(values))('%s', async (_name, value) => {
    const printed = await printJson(value, undefined);
    // But for halves of pairs, which many parsers refuse.
    const expected = JSON.stringify(value).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, '\ufffd');
    expect(Buffer.from(printed).equals(Buffer.from(expected))).toBe(true);
  });
});

it('takes a turn for every half of a megabyte', async () => {
  const turns = createFairTurns();
  const turn = turnsOfRequest(turns, 'owner', 0);
  let taken = 0;
  const counting = (weight?: number) => {
    taken += 1;
    return turn(weight);
  };
  await printJson({ text: 'x'.repeat(15 * megabyte) }, counting);
  expect(taken).toBeGreaterThanOrEqual(29);
  taken = 0;
  await printJson({ text: 'small' }, counting);
  expect(taken).toBe(0);
});
