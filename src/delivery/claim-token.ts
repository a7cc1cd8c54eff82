/** Claim tokens: the claiming process's id, a dot, and a part that tells its claims apart. */
import { sql } from 'kysely';
import { processIdLength } from '../store/presence.ts';

export const claimTokenOf = (processId: string, unique: string): string => `${processId}.${unique}`;

/** The beginning of `claim_token` that {@link processOf} reads. */
export const claimant = sql<string>`substr(claim_token, 1, ${sql.lit(processIdLength + 1)})`;

/** Null for an earlier version's token, which names no process. */
export const processOf = (start: string): string | null => (start.endsWith('.') ? start.slice(0, -1) : null);
