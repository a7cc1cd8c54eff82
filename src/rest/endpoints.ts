import { type ContractEndpoint, version } from '../endpoint.ts';
import { jobEndpoints } from '../jobs/endpoints.ts';
import { postEndpoints } from '../posts/endpoints.ts';
import { webhookEndpoints } from '../webhooks/endpoints.ts';

/** Every endpoint of the contract. */
export const endpoints: readonly ContractEndpoint[] = [jobEndpoints, postEndpoints, webhookEndpoints].flatMap(
  (table): ContractEndpoint[] => Object.values(table),
);

/** The contract names its paths both with and without `/api`. */
export const prefixes = [`/${version}`, `/api/${version}`] as const;
