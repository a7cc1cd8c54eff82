import { jobEndpoints } from '../capabilities/jobs/endpoints.ts';
import { postEndpoints } from '../capabilities/posts/endpoints.ts';
import { webhookEndpoints } from '../capabilities/webhooks/endpoints.ts';
import { type ContractEndpoint, version } from '../kernel/endpoint.ts';

export const endpoints: readonly ContractEndpoint[] = [jobEndpoints, postEndpoints, webhookEndpoints].flatMap(
  (table): ContractEndpoint[] => Object.values(table),
);

/** The contract names its paths both with and without `/api`. */
export const prefixes = [`/${version}`, `/api/${version}`] as const;
