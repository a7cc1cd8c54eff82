/** Generated operations over generated pages, through two whole gateways: one that compiles them, and one that does not. */
import { expect, test } from 'vitest';
import { generatePage, listAt } from '../support/list-pages.ts';
import { seededRandom } from '../support/random.ts';
import { type Came, errorsInOrder, startBothWays } from './both-ways.ts';
import { generatedOperation, randomSeed } from './differential.ts';

const pairs = 300;

/** Without the calls: where one list fails, nobody waits for the calls of another. */
const cameTo = ({ status, headers, body }: Came) => ({ status, headers, body: errorsInOrder(body) });

test('what clients get is the same', { timeout: 120_000 }, async () => {
  const firstSeed = randomSeed();
  let seed = firstSeed;
  const both = await startBothWays(({ path }, response) => {
    // A page depends on nothing but its list, so that both gateways get the same.
    const salt = [...path].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, seed);
    const limit = Number(new URL(path, 'http://x').searchParams.get('limit'));
    const { body } = generatePage(seededRandom(salt), listAt(path), { limit });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  let compiled = 0;
  for (; seed < firstSeed + pairs; seed += 1) {
    const { query, operationName, variables } = generatedOperation(seed);
    const { on, off } = await both.ask({ body: { query, operationName, variables } });
    expect(cameTo(on), `Seed ${seed}\n${query}\n${JSON.stringify(variables)}`).toEqual(cameTo(off));
    if (on.compiled === 'yes') compiled += 1;
  }
  expect(compiled).toBeGreaterThan(0.3 * pairs);
});
