import { jobEndpoints } from '../jobs/rest.ts';
import { postEndpoints } from '../posts/rest.ts';
import { webhookEndpoints } from '../webhooks/rest.ts';
import type { Endpoint } from './endpoint.ts';

/** Every endpoint of the contract. */
export const endpoints: readonly Endpoint[] = [...jobEndpoints, ...postEndpoints, ...webhookEndpoints];

/** The contract names the paths both with and without `/api`. */
export const prefixes = ['/v1', '/api/v1'] as const;
