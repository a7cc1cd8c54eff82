import type { Endpoint } from '../endpoint.ts';
import { jobEndpoints } from '../jobs/endpoints.ts';
import { postEndpoints } from '../posts/endpoints.ts';
import { webhookEndpoints } from '../webhooks/endpoints.ts';

/** Every endpoint of the contract. */
export const endpoints: readonly Endpoint[] = [...jobEndpoints, ...postEndpoints, ...webhookEndpoints];

/** The contract names the paths both with and without `/api`. */
export const prefixes = ['/v1', '/api/v1'] as const;
