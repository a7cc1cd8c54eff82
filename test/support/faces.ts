/** Both faces take a request in the contract's terms, and tell what came of it in the same terms. */
import type { EndpointName } from '../../src/kernel/endpoint.ts';
import type { Backend } from './backends.ts';
import { graphql } from './gateway.ts';
import { callEndpoint, type FlatRequest } from './rest.ts';

export interface Outcome {
  /** Of a result. */
  readonly object?: string;
  /** Of a webhook that was created. */
  readonly id?: string;
  /** Of an error. */
  readonly type?: string;
  readonly status?: number;
  readonly detail?: string;
}

export interface Face {
  readonly name: string;
  ask(address: string, key: string | undefined, endpoint: EndpointName, request: FlatRequest): Promise<Outcome>;
  /** Takes a number for an id, and one value for a list of it. */
  readonly coerces: boolean;
  /** What an error calls a field of the contract. */
  nameOf(field: string): string;
}

const rest: Face = {
  name: 'REST',
  coerces: false,
  async ask(address, key, endpoint, request) {
    const { body } = await callEndpoint(address, key, endpoint, request);
    return body.object === undefined ? body : { object: body.object, id: body.webhook_id };
  },
  nameOf: (field) => field,
};

const overGraphQL: Face = {
  name: 'GraphQL',
  coerces: true,
  async ask(address, key, endpoint, request) {
    const { data, errors } = await graphql(address, key, ...operationOf(endpoint, request));
    const [error] = errors;
    // biome-ignore lint/suspicious/noExplicitAny: the result of any field
    const result: any = Object.values(data ?? {})[0];
    const { code, status } = error?.extensions ?? result ?? {};
    const detail = error?.message ?? result?.message;
    if (code !== undefined) return { type: `errors/${String(code).toLowerCase()}`, status: Number(status), detail };
    const lists: Readonly<Record<string, string>> = { PostConnection: 'PostList', WebhookConnection: 'WebhookList' };
    return { object: lists[result?.__typename] ?? result?.__typename, id: result?.webhookId };
  },
  nameOf: (field) => names[field] ?? camelCase(field),
};

export const faces: readonly Face[] = [rest, overGraphQL];

/** GraphQL translates a request before any backend has it: to try each field over one of them is enough. */
export const facesOver = ({ name }: Backend): readonly Face[] => (name === 'embedded on SQLite' ? faces : [rest]);

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Those that GraphQL does not call as the contract does, in camelCase. */
const names: Readonly<Record<string, string>> = {
  input: 'solution',
  draft_id: 'jobId',
  enabled: 'isEnabled',
  send_rejection_notification: 'hasRejectionNotification',
  hiring_photo_frame: 'hasHiringPhotoFrame',
  bypass_email_verification: 'bypassesEmailVerification',
  resume_required: 'isResumeRequired',
  include_poster_info: 'hasPosterInfo',
  outside_of_country: 'isOutsideOfCountry',
};
/** Whose words GraphQL writes in capitals. */
const inCapitals = new Set(['source', 'format', 'events', 'data']);

const ofAll = new Set(['account_ids', 'events', 'data']);

function inGraphQL(value: unknown, parent = ''): unknown {
  // An empty list of the contract is one of all, as null is of GraphQL.
  if (Array.isArray(value) && value.length === 0 && ofAll.has(parent)) return null;
  if (Array.isArray(value)) return value.map((each) => inGraphQL(each, parent));
  if (typeof value === 'string' && inCapitals.has(parent)) return value.toUpperCase();
  if (typeof value !== 'object' || value === null) return value;
  const { answer_type, type, ...rest } = value as Record<string, unknown>;
  const fields = Object.fromEntries(
    Object.entries(rest).map(([name, each]) => [
      nameWithin(name, parent),
      inGraphQL(each, name === 'key' && parent === 'data' ? 'data' : name === 'name' ? '' : name),
    ]),
  );
  const variant = answer_type ?? type;
  return variant === undefined ? fields : { [camelCase(String(variant))]: fields };
}

const nameWithin = (name: string, parent: string): string => {
  if (name === 'id' && parent !== '') return 'providerId';
  if (name === 'screening_questions' && parent === 'auto_archive_applicants') return 'hasFailedScreening';
  return names[name] ?? camelCase(name);
};

function operationOf(endpoint: EndpointName, request: FlatRequest): [string, Record<string, unknown>] {
  const input = inGraphQL(request) as Record<string, unknown>;
  const mutation = (field: string, type: string, value: unknown, more = ''): [string, Record<string, unknown>] => [
    `mutation ($input: ${type}!) { ${field}(input: $input) { __typename ${more} ... on ServiceError { code status message } } }`,
    { input: value },
  ];
  const { limit: first = 100, cursor: after, id, ...rest } = input;
  switch (endpoint) {
    case 'EDIT': {
      const { accountId, jobId, ...posting } = input;
      return mutation('editJob', 'EditJobInput', { accountId, jobId, posting });
    }
    case 'PUB':
      return mutation('publishJob', 'PublishJobInput', input);
    case 'CHK':
      return mutation('solveJobCheckpoint', 'SolveJobCheckpointInput', input);
    case 'WHDEL':
      return mutation('deleteWebhook', 'DeleteWebhookInput', { webhookId: id });
    case 'WHCREATE':
      return mutation('createWebhook', 'CreateWebhookInput', input, '... on WebhookCreated { webhookId }');
    case 'WHLIST':
      return [
        'query ($first: Int, $after: String) { webhooks(first: $first, after: $after) { __typename nodes { webhookId } } }',
        { first, after },
      ];
    case 'POSTS':
      return [
        `query ($accountId: ID!, $identifier: String!, $isCompany: Boolean, $first: Int!, $after: String) {
          posts(accountId: $accountId, identifier: $identifier, isCompany: $isCompany, first: $first, after: $after) {
            __typename nodes { __typename } } }`,
        { ...rest, first, after },
      ];
  }
}
