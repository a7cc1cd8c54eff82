import { acceptForwardedKey } from '../../auth/admission.ts';
import { upstreamAccounts } from '../../capabilities/accounts/upstream.ts';
import { jobVocabularies } from '../../capabilities/jobs/endpoints.ts';
import { upstreamJobs } from '../../capabilities/jobs/upstream.ts';
import { postVocabularies } from '../../capabilities/posts/endpoints.ts';
import { upstreamPosts } from '../../capabilities/posts/upstream.ts';
import { webhookEndpoints, webhookVocabularies } from '../../capabilities/webhooks/endpoints.ts';
import { upstreamWebhooks } from '../../capabilities/webhooks/upstream.ts';
import { ConfigError } from '../../kernel/config-error.ts';
import { isObject } from '../../kernel/lib/objects.ts';
import { messageOf } from '../../kernel/lib/to-error.ts';
import { onlyWith } from '../../kernel/ports.ts';
import { noTelemetry } from '../../telemetry/telemetry.ts';
import { createUpstream, type Upstream } from '../../upstream/client.ts';
import { createKeyCheck } from '../../upstream/key-check.ts';
import { type AskWithKey, serviceOf } from '../../upstream/service.ts';
import type { UpstreamSettings } from '../../upstream/settings.ts';
import { commonVocabularies, type TermMap } from '../../upstream/translation.ts';
import type { Backend, Dependencies } from './backend.ts';
import type { Storage } from './storage.ts';

const askWithKey: AskWithKey = (client, context) => client.call(context, webhookEndpoints.list, { limit: 1 });

/** @param storage null where the service checks API keys. @throws ConfigError for names that it cannot have */
export function upstreamBackend(
  settings: UpstreamSettings,
  storage: Storage | null,
  { logger, now, telemetry }: Pick<Dependencies, 'logger' | 'now' | 'telemetry'>,
): Backend {
  const { client, service, ports } = openService(settings, { logger, now, telemetry });
  return {
    delivery: null,
    intake: null,
    ports: {
      serviceJudges: () => true,
      accounts: upstreamAccounts(
        storage === null
          ? { checkKey: createKeyCheck((context) => askWithKey(client, context)), tokens: null }
          : { checkKey: async () => undefined, tokens: storage.tokens },
      ),
      ...ports,
      webhooks: upstreamWebhooks(service),
      // The contract has no endpoint for deliveries.
      deliveries: onlyWith({}),
    },
    authenticate: storage === null ? acceptForwardedKey : storage.authenticate,
    // One key of the service, and so its data, for all callers of all workspaces.
    tenantOf: () => 'upstream',
    // For the same reason, idempotency keys would collide there.
    idempotency: storage?.idempotency,
    async ready() {
      await Promise.all([service.ready(), storage?.ready()]);
    },
    close: service.close,
  };
}

/** The service, and what is always its own. @throws ConfigError for names that it cannot have */
export function openService(
  settings: UpstreamSettings,
  dependencies: Pick<Dependencies, 'logger' | 'now' | 'telemetry'>,
) {
  const client = openUpstream(settings, dependencies);
  const service = serviceOf(client, askWithKey);
  return { client, service, ports: { jobs: upstreamJobs(service), posts: upstreamPosts(service) } };
}

/** Words of a service in its events, put into those of the contract: at the top, and one level below as accounts are. */
export function translatorOfEvents(
  names: TermMap,
): (fields: Readonly<Record<string, unknown>>) => Record<string, unknown> {
  const terms = new Map(Object.entries(names.account_types ?? {}).map(([term, name]) => [name, term]));
  const translate = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const { account_type: type } = fields;
    return typeof type === 'string' ? { ...fields, account_type: terms.get(type) ?? type } : fields;
  };
  return (fields) =>
    Object.fromEntries(
      Object.entries(translate(fields)).map(([name, value]) => [name, isObject(value) ? translate(value) : value]),
    );
}

function openUpstream(
  settings: UpstreamSettings,
  { telemetry = noTelemetry, ...dependencies }: Pick<Dependencies, 'logger' | 'now' | 'telemetry'>,
): Upstream {
  const vocabularies = { ...commonVocabularies, ...jobVocabularies, ...postVocabularies, ...webhookVocabularies };
  try {
    return createUpstream(settings, vocabularies, { ...dependencies, telemetry });
  } catch (error) {
    throw new ConfigError(`UPSTREAM_NAMES ${messageOf(error)}`);
  }
}
