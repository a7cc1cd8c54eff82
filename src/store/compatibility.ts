/** Which gateways work on a schema. Upgrades run two versions at once: steps expand first and contract later. */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from './schema.ts';

export interface SchemaStep extends Pick<Migration, 'up'> {
  /** The earlier step that a gateway must know to work after this one; by default this step. */
  readonly worksFrom?: string;
  /** Built after the steps, outside a transaction: text behind `create index NAME`, null to drop. */
  readonly indexes?: Readonly<Record<string, string | null>>;
  /** Those of them that are unique. */
  readonly unique?: Readonly<Record<string, UniqueIndex>>;
}

/** Rows of one key but for the first are deleted before the index is built. */
export interface UniqueIndex {
  readonly table: string;
  readonly key: string;
  /** The order in which rows of one key come. */
  readonly order: string;
}

/** By name, in order. */
export type SchemaSteps = Readonly<Record<string, SchemaStep>>;

export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';

  /** @param known the gateway's last step; `needed` the step that it must know */
  constructor(known: string, needed: string) {
    super(
      `This version of the gateway is too old for its database: it knows the schema up to ${known}, and the database needs a gateway that knows ${needed}. Start a newer version.`,
    );
  }
}

/** The last step that the baseline replaces. Older databases need version 0.3.0 first. */
export const lastOfBaseline = '021_event_index';

/** The row of `deployment` with the step that a gateway must know. */
const neededStep = 'works_from';

/** In order. */
export const namesOf = (steps: SchemaSteps): readonly string[] => Object.keys(steps).sort();

export const lastOf = (steps: SchemaSteps): string => namesOf(steps).at(-1) ?? '';

/** Steps that also record which gateways can work after them. */
export function recordingCompatibility(steps: SchemaSteps): SchemaSteps {
  // The steps before the first `worksFrom` are older than the table.
  const first = namesOf(steps).find((name) => steps[name]?.worksFrom !== undefined);
  return Object.fromEntries(
    Object.entries(steps).map(([name, step]): [string, SchemaStep] => {
      if (first === undefined || name < first) return [name, step];
      const { worksFrom = name, up } = step;
      return [name, { worksFrom, up: (database) => up(database).then(() => record(database, worksFrom)) }];
    }),
  );
}

/** An expanding step lets nobody in whom an earlier contracting one locked out. */
async function record(database: Kysely<Tables>, worksFrom: string): Promise<void> {
  await sql`insert into deployment (name, value) values (${neededStep}, ${worksFrom})
    on conflict (name) do update set value = excluded.value where deployment.value < excluded.value`.execute(database);
}

/** @returns the step that a gateway must know; undefined if none is recorded */
export async function findNeededStep(database: Kysely<Tables>): Promise<string | undefined> {
  const found = await database
    .selectFrom('deployment')
    .select('value')
    .where('name', '=', neededStep)
    .executeTakeFirst();
  return found?.value;
}

/** @throws SchemaTooNew if `known`, the gateway's last step, does not suffice; DatabaseFault */
export async function requireCompatible(database: Kysely<Tables>, known: string): Promise<void> {
  const needed = await findNeededStep(database);
  if (needed !== undefined && needed > known) throw new SchemaTooNew(known, needed);
}
