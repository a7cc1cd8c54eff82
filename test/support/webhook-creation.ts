/** Webhooks that are created through the GraphQL face. */
import { graphql } from './gateway.ts';

const url = 'requestUrl: "https://hooks.example/in", isEnabled: false';

async function create(address: string, key: string, mutation: string): Promise<string> {
  const selection = '... on WebhookCreated { webhookId } ... on ServiceError { code }';
  const { data, errors } = await graphql(address, key, `mutation { made: ${mutation} { ${selection} } }`);
  if (data?.made?.webhookId === undefined) throw new Error(data?.made?.code ?? JSON.stringify(errors));
  return data.made.webhookId;
}

/** Creates a disabled AUTO webhook for `users`. @returns its id @throws Error with the code of the failure */
export const createWebhookAt = (address: string, key: string) =>
  create(address, key, `createWebhook(input: { ${url}, source: USERS })`);

/** Creates a disabled TRIGGER webhook. @returns its id @throws Error with the code of the failure */
export const createTriggerWebhookAt = (address: string, key: string) =>
  create(
    address,
    key,
    `createTriggerWebhook(input: { ${url}, trigger: { name: "Send", icon: WEBHOOK_ICON, context: CHAT } })`,
  );
