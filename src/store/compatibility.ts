/**
 * Which gateways can work on the schema. In an upgrade two versions run at once, so a step of the schema first expands it,
 * and gateways of before can go on. A later step contracts it: it takes away what none of the gateways uses that it names.
 */
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from './schema.ts';

/** A step of the schema. */
export interface SchemaStep extends Pick<Migration, 'up'> {
  /**
   * The name of an earlier step: gateways can work on the schema after this one if they know the steps up to that. Without
   * it, only those can that know this step.
   */
  readonly worksFrom?: string;
  /**
   * By their names, indexes of tables that there were before: what follows the name in `create index`, or null for one that is
   * dropped. They are built after the steps, without a transaction: `up` would keep all from writing meanwhile.
   */
  readonly indexes?: Readonly<Record<string, string | null>>;
}

/** By their names, which are in order. */
export type SchemaSteps = Readonly<Record<string, SchemaStep>>;

/** This gateway is too old for the schema. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';

  /**
   * @param known the last step that this gateway knows
   * @param needed the step that a gateway must know
   */
  constructor(known: string, needed: string) {
    super(
      `This version of the gateway is too old for its database: it knows the schema up to ${known}, and the database needs a gateway that knows ${needed}. Start a newer version.`,
    );
  }
}

/** Where the table `deployment` has the step that a gateway must know. */
const row = 'works_from';

export const lastOf = (steps: SchemaSteps): string => Object.keys(steps).sort().at(-1) ?? '';

/** The same steps, each of which also stores which gateways can work on the schema from then on. */
export function recordingCompatibility(steps: SchemaSteps): SchemaSteps {
  // The steps before the first that says it are older than the rule, and than the table.
  const first = Object.keys(steps)
    .sort()
    .find((name) => steps[name]?.worksFrom !== undefined);
  return Object.fromEntries(
    Object.entries(steps).map(([name, step]): [string, SchemaStep] => {
      if (first === undefined || name < first) return [name, step];
      const { worksFrom = name, up } = step;
      return [name, { worksFrom, up: (database) => up(database).then(() => record(database, worksFrom)) }];
    }),
  );
}

/** An expanding step after a contracting one lets no gateway in that the other has locked out. */
async function record(database: Kysely<Tables>, worksFrom: string): Promise<void> {
  await sql`insert into deployment (name, value) values (${row}, ${worksFrom})
    on conflict (name) do update set value = excluded.value where deployment.value < excluded.value`.execute(database);
}

/** @returns the step that a gateway must know to work on the schema; undefined if none says it */
export async function findNeededStep(database: Kysely<Tables>): Promise<string | undefined> {
  const found = await database.selectFrom('deployment').select('value').where('name', '=', row).executeTakeFirst();
  return found?.value;
}

/**
 * @param known the last step that this gateway knows
 * @throws SchemaTooNew if that is not enough any more; DatabaseFault when the database cannot be used
 */
export async function requireCompatible(database: Kysely<Tables>, known: string): Promise<void> {
  const needed = await findNeededStep(database);
  if (needed !== undefined && needed > known) throw new SchemaTooNew(known, needed);
}
