/** The webhook registry over GraphQL: the requests that its tests share. */
import { expect } from 'vitest';
import { type ErrorName, errorTable } from '../../src/kernel/errors.ts';
import type { SeededWorkspace } from './backends.ts';

const failure = `... on ServiceError { code status message requestId }
  ... on InvalidRequestError { issues { path message } }`;
export const webhookFields = `__typename id webhookId name isEnabled requestUrl format
  accounts { accountId name type } headers { key value } data { name key } events
  type source trigger { name icon context }`;
export const createDocument = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) {
  __typename ... on WebhookCreated { webhookId webhook { ${webhookFields} } } ${failure} } }`;
export const deleteDocument = `mutation ($id: ID!) { deleteWebhook(input: { webhookId: $id }) {
  __typename ... on WebhookDeleted { webhookId deletedId } ${failure} } }`;
export const listDocument = `query ($first: Int! = 100, $after: String) { webhooks(first: $first, after: $after) {
  edges { cursor node { webhookId } } nodes { webhookId } pageInfo { hasNextPage hasPreviousPage endCursor } } }`;

const typeOfFamily: Readonly<Record<string, string>> = {
  request: 'InvalidRequestError',
  account: 'RequestError',
  object: 'RequestError',
};
/** An error of a mutation, as data. */
export const anError = (name: ErrorName) => ({
  __typename: typeOfFamily[errorTable[name].family],
  code: name.toUpperCase(),
  status: errorTable[name].status,
});

export const requestUrl = 'https://hooks.example/in';

/** Runs `createWebhook`, and expects no top-level error. */
export async function createWebhook(workspace: SeededWorkspace, input: Record<string, unknown>) {
  const { data, errors } = await workspace.ask(createDocument, { input: { requestUrl, ...input } });
  expect(errors).toEqual([]);
  return data.createWebhook;
}

/** Reads one webhook with all of its fields. */
export async function readWebhook(workspace: SeededWorkspace, id: string) {
  const { data } = await workspace.ask(`query ($id: ID!) { webhook(webhookId: $id) { ${webhookFields} } }`, { id });
  return data.webhook;
}
