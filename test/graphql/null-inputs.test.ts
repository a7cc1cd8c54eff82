/** Null in the place of an optional field of a change, and of any body of REST, is refused: it could be read as "remove", or as "all". */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { jobCheckpointShape, jobEditShape, jobPublishShape } from '../../src/capabilities/jobs/shapes.ts';
import { webhookCreateShape } from '../../src/capabilities/webhooks/shapes.ts';
import { backends, onOneDatabase, type SeededWorkspace, type Served } from '../support/backends.ts';
import { fields, placesOf } from '../support/hostile-inputs.ts';

/** Elsewhere null is as good as none (absent-values.test.ts). */
const mutations = ['editJob', 'updateWebhook', 'redeliverWebhookDeliveries'];

/** Where null stands for all, as a field of the webhook reads. */
const allByNull = new Set(['accountIds', 'events', 'data'].map((name) => `updateWebhook input.${name}`));

/** Every field of every input of the changes, with the variables that have null there. */
const inGraphQL = fields
  .filter(({ name }) => mutations.includes(name))
  .map(({ name, document, places }) => {
    const objects = new Map(places.filter(({ kind }) => kind === 'object').map((place) => [place.name, place]));
    const nulls = [...new Set(places.map((place) => place.name.replace(/(?:\[\])+$/, '')))].flatMap((path) => {
      const at = path.lastIndexOf('.');
      const parent = objects.get(path.slice(0, at));
      return parent === undefined || allByNull.has(`${name} ${path}`)
        ? []
        : [{ path, variables: parent.with({ [path.slice(at + 1)]: null }) as object }];
    });
    return { name, document, nulls };
  });

const inREST = [
  ['PATCH', '/v1/pnet/jobs/1', jobEditShape],
  ['POST', '/v1/pnet/jobs/1/publish', jobPublishShape],
  ['POST', '/v1/pnet/jobs/1/checkpoint', jobCheckpointShape],
  ['POST', '/v1/webhooks', webhookCreateShape],
] as const satisfies readonly (readonly [string, string, z.ZodType])[];

describe.each(onOneDatabase(backends))('null in an input, $name backend', (backend) => {
  let served: Served;
  let workspace: SeededWorkspace;
  beforeAll(async () => {
    served = await backend.start();
    workspace = await served.workspace();
  });
  afterAll(() => served.close());

  // In front of a service, there is no other of them.
  const inSchema = inGraphQL.filter(({ name }) => backend.serves.accounts || name === 'editJob');

  test.each(inSchema)('of $name is refused', async ({ name, document, nulls }) => {
    expect(nulls.length).toBeGreaterThan(0);
    let refused = 0;
    for (const { path, variables } of nulls) {
      const { data, errors } = await workspace.ask(document, variables as Record<string, unknown>);
      // Where the schema itself has no null, the whole request is refused.
      if ((data ?? null) === null) {
        expect(errors, path).not.toEqual([]);
        continue;
      }
      refused += 1;
      expect({ path, errors, data }).toMatchObject({ data: { [name]: { __typename: 'InvalidRequestError' } } });
      const paths = data[name].issues.map((issue: { path: unknown[] }) =>
        issue.path.filter((key) => key !== '0').join('.'),
      );
      expect(paths, path).toContain(path.replaceAll('[]', ''));
    }
    expect(refused).toBeGreaterThan(1);
  });

  test.each(inREST)('of %s %s is refused', async (method, path, shape) => {
    const { key } = workspace;
    const keys = new Set([...placesOf(shape)].flatMap(({ name }) => /^request(?:\|\d+)?\.(\w+)/.exec(name)?.[1] ?? []));
    for (const name of keys) {
      if (['job_id', 'draft_id'].includes(name)) continue;
      const body = { account_id: 'a', mode: 'FREE', input: '1', source: 'users', request_url: 'https://example.com/' };
      const allowed = Object.fromEntries(Object.entries(body).filter(([each]) => keys.has(each)));
      const response = await fetch(`${served.address}${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ ...allowed, [name]: null }),
      });
      expect([400, 422], name).toContain(response.status);
      expect(await response.text(), name).toMatch(name);
    }
  });
});
