/**
 * The examples that GraphiQL opens with, one tab each, in this order. Each operation is a file in `examples/`. The ids in
 * the variables exist in the demo workspace and the sandbox networks. To add an example, add a file and a line here.
 */
import { readFile } from 'node:fs/promises';
import { globalId } from '../node.ts';

export interface Example {
  /** Name of the file and of its operation. GraphiQL names the tab after the operation. */
  readonly name: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The readable id of an account or webhook in the demo workspace. */
const id = (name: string): string => `${name.padEnd(21, '-')}A`;

const pnet = id('pnet');
const photonet = id('photonet');

/** A placeholder: well formed, but no delivery has it. The user replaces it with the id of one. */
const noDelivery = id('put-one-here');

export const examples = [
  { name: 'WhoAmI', variables: {} },
  { name: 'AccountOverview', variables: { accountId: pnet, identifier: 'ADoSandbox25' } },
  { name: 'PnetPosts', variables: { accountId: pnet, identifier: 'ACoSandbox250', first: 5 } },
  { name: 'EveryKindOfPost', variables: { accountId: pnet, identifier: 'ACoSandboxGallery', first: 24 } },
  { name: 'CompanyPosts', variables: { accountId: pnet, identifier: '900043', first: 3 } },
  { name: 'PhotonetPosts', variables: { accountId: photonet, identifier: 'sandbox.sixty', first: 5 } },
  {
    name: 'Feed',
    variables: {
      pnet,
      identifier: 'ACoSandboxGallery',
      photonet,
      username: 'sandbox.gallery',
    },
  },
  { name: 'AuthorPosts', variables: { accountId: pnet, identifier: 'ACoSandboxReposts' } },
  { name: 'NextPage', variables: { accountId: pnet, identifier: 'ACoSandbox250', first: 100, after: null } },
  { name: 'JobPostings', variables: { accountId: pnet, jobId: '2001' } },
  {
    name: 'CreateDraft',
    variables: {
      input: {
        accountId: pnet,
        jobTitle: { text: 'Robotics Engineer' },
        company: { text: 'Northlight Robotics' },
        workplace: 'HYBRID',
        employmentStatus: 'FULL_TIME',
        description: '<p>You teach robots to carry, so that people do not have to.</p>',
        applyMethod: { external: { url: 'https://jobs.example/robotics-engineer' } },
        salary: { currency: 'EUR', min: 60000, max: 80000, payFrequency: 'YEARLY' },
      },
    },
  },
  {
    name: 'EditJob',
    variables: {
      input: {
        accountId: pnet,
        jobId: '2001',
        workplace: 'REMOTE',
        screeningQuestions: [
          { numeric: { question: 'Years of experience?', minExpectation: 3, mustMatch: true } },
          {
            multipleChoices: {
              question: 'Which languages do you write?',
              choices: ['TypeScript', 'Go', 'Rust'],
              expectedChoices: ['TypeScript'],
            },
          },
        ],
        recruiter: { projectId: '77', functions: ['eng'], skills: ['1', '2'], seniority: 'MID_SENIOR_LEVEL' },
      },
    },
  },
  { name: 'PublishAtOnce', variables: { input: { accountId: pnet, draftId: '1001', mode: 'FREE' } } },
  { name: 'PublishWithOtp', variables: { accountId: pnet, draftId: '1007', wrong: '999999', code: '123456' } },
  {
    name: 'PublishWithEmail',
    variables: { accountId: pnet, draftId: '1010', token: 'sandbox-email-token', code: '123456' },
  },
  {
    name: 'PaymentError',
    variables: {
      input: {
        accountId: pnet,
        draftId: '1015',
        mode: 'PROMOTED',
        budget: { daily: { currency: 'EUR', amount: 25 } },
      },
    },
  },
  { name: 'WatchJobPostings', variables: { jobIds: ['1007', '2001'] } },
  { name: 'WatchAccounts', variables: { accountIds: [pnet, photonet] } },
  { name: 'Webhooks', variables: { webhookId: id('hook-messaging'), first: 20 } },
  {
    name: 'CreateWebhook',
    variables: {
      input: {
        name: 'New messages',
        requestUrl: 'https://hooks.example/messages',
        accountIds: [pnet],
        headers: [{ key: 'x-team', value: 'chat' }],
        source: {
          messaging: {
            events: ['MESSAGE_RECEIVED', 'MESSAGE_REACTION'],
            data: [
              { name: 'text', key: 'MESSAGE' },
              { name: 'from', key: 'SENDER' },
            ],
          },
        },
      },
    },
  },
  { name: 'WebhookOfEverySource', variables: { url: 'https://hooks.example/every-source' } },
  {
    name: 'UpdateWebhook',
    variables: {
      input: {
        webhookId: id('hook-email'),
        name: 'Team email',
        headers: [{ key: 'x-team', value: 'mail' }],
      },
      enable: { webhookId: id('hook-email'), enabled: true },
      notices: { webhookId: id('hook-email'), receives: true },
    },
  },
  { name: 'EventSamples', variables: { source: 'MESSAGING' } },
  { name: 'EmitEvent', variables: { input: { accountId: id('chatapp'), event: 'MESSAGE_RECEIVED' } } },
  { name: 'SendTestEvent', variables: { input: { webhookId: id('hook-email'), event: 'MAIL_RECEIVED' } } },
  { name: 'WatchDeliveries', variables: { webhookId: null } },
  { name: 'Deliveries', variables: { webhookId: id('hook-messaging'), deliveryId: noDelivery } },
  { name: 'WebhookStatistics', variables: { webhookId: id('hook-messaging'), period: 'DAY' } },
  {
    name: 'ResendDeliveries',
    variables: { all: { webhookId: id('hook-email'), state: 'FAILED' }, deliveryId: noDelivery },
  },
  { name: 'WebhookSecret', variables: { webhookId: id('hook-email') } },
  {
    name: 'TriggerWebhook',
    variables: {
      create: {
        name: 'Tickets',
        enabled: false,
        requestUrl: 'https://hooks.example/tickets',
        trigger: { name: 'Create a ticket', icon: 'SyncAltIcon', context: 'MESSAGE' },
      },
      enable: { webhookId: id('hook-trigger-message'), enabled: true },
      fire: {
        webhookId: id('hook-trigger-message'),
        accountId: id('chatapp'),
        context: { message: { chatId: 'chat-1', messageId: 'message-1' } },
      },
    },
  },
  { name: 'DeleteWebhook', variables: { webhookId: id('hook-users') } },
  {
    name: 'NodesById',
    variables: {
      id: globalId('Account', pnet),
      ids: [globalId('Job', '2001'), globalId('Webhook', id('hook-email'))],
      accountId: photonet,
    },
  },
  { name: 'TypedError', variables: { accountId: pnet, identifier: 'ACoSandboxUserUnreachable' } },
] as const satisfies readonly Example[];

/** Reads the text of an example's operation. */
export const exampleOperation = ({ name }: Example): Promise<string> =>
  readFile(new URL(`examples/${name}.graphql`, import.meta.url), 'utf8');

/** The examples as GraphiQL expects them: texts of the operation and of its variables as JSON. */
export const exampleTabs = (): Promise<readonly { query: string; variables: string }[]> =>
  Promise.all(
    examples.map(async (example) => ({
      query: await exampleOperation(example),
      variables: JSON.stringify(example.variables, null, 2),
    })),
  );
