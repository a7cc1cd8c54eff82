import { readsById } from '../cost/weights.ts';

/** Options of a field that finds an object by its id; null for one that is not there, or that the key cannot see. */
export const foundById = (description: string) => ({ nullable: true as const, description, extensions: readsById });
