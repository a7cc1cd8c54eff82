/** Claim tokens: the id of the process that made the claim, a dot, and what tells its claims from one another. */
import { sql } from 'kysely';
import { processIdLength } from '../store/presence.ts';

export const claimTokenOf = (processId: string, unique: string): string => `${processId}.${unique}`;

/** The beginning of the column `claim_token`, up to the dot: what {@link processOf} reads. */
export const claimant = sql<string>`substr(claim_token, 1, ${sql.lit(processIdLength + 1)})`;

/** The id of the process; null for a token of an earlier version, which does not tell. */
export const processOf = (start: string): string | null => (start.endsWith('.') ? start.slice(0, -1) : null);
