/**
 * Examples of GraphiQL's menu, in the order of learning; operations are files in `examples/`. The ids in the variables
 * exist in the demo workspace and the sandbox networks. A new example is a file and an entry here.
 */
import { readFile } from 'node:fs/promises';
import {
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { globalId } from '../../graphql/kit/global-ids.ts';

export interface Example {
  /** File and operation name; GraphiQL names the tab after the operation. */
  readonly name: string;
  /** In the menu. */
  readonly title: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface ExampleGroup {
  readonly title: string;
  readonly examples: readonly Example[];
}

/** The readable id of an account or webhook in the demo workspace. */
const id = (name: string): string => `${name.padEnd(21, '-')}A`;

const pnet = id('pnet');
const photonet = id('photonet');

/** A well-formed placeholder, which the user replaces. */
const noDelivery = id('put-one-here');

export const exampleGroups = [
  {
    title: 'Start here',
    examples: [
      { name: 'WhoAmI', title: 'My key and my accounts', variables: {} },
      {
        name: 'AccountOverview',
        title: 'An account on one page',
        variables: { accountId: pnet, identifier: 'ADoSandbox25' },
      },
      { name: 'WatchAccounts', title: 'Watch accounts', variables: { accountIds: [pnet, photonet] } },
      { name: 'AccessToken', title: 'A token for a page or an app', variables: { accountIds: [pnet] } },
      {
        name: 'NodesById',
        title: 'Read anything by its id',
        variables: {
          id: globalId('Account', pnet),
          ids: [globalId('Job', '2001'), globalId('Webhook', id('hook-email'))],
          accountId: photonet,
        },
      },
    ],
  },
  {
    title: 'Posts',
    examples: [
      {
        name: 'PnetPosts',
        title: 'Posts of a person on pnet',
        variables: { accountId: pnet, identifier: 'ACoSandbox250', first: 5 },
      },
      {
        name: 'PhotonetPosts',
        title: 'Posts on photonet',
        variables: { accountId: photonet, identifier: 'sandbox.sixty', first: 5 },
      },
      {
        name: 'FeedOfBoth',
        title: 'A feed of both networks',
        variables: {
          pnet,
          identifier: 'ACoSandboxGallery',
          photonet,
          username: 'sandbox.gallery',
        },
      },
      {
        name: 'CompanyPosts',
        title: 'Posts of a company',
        variables: { accountId: pnet, identifier: '900043', first: 3 },
      },
      {
        name: 'EveryKindOfPost',
        title: 'All that a post can have',
        variables: { accountId: pnet, identifier: 'ACoSandboxGallery', first: 24 },
      },
      {
        name: 'AuthorPosts',
        title: 'From posts to their authors',
        variables: { accountId: pnet, identifier: 'ACoSandboxReposts' },
      },
      {
        name: 'NextPage',
        title: 'The next page of a list',
        variables: { accountId: pnet, identifier: 'ACoSandbox250', first: 100, after: null },
      },
    ],
  },
  {
    title: 'Jobs',
    examples: [
      { name: 'JobPostings', title: 'Drafts and postings', variables: { accountId: pnet, jobId: '2001' } },
      {
        name: 'CreateDraft',
        title: 'Create a draft',
        variables: {
          input: {
            accountId: pnet,
            posting: {
              jobTitle: { text: 'Robotics Engineer' },
              company: { text: 'Northlight Robotics' },
              workplace: 'HYBRID',
              employmentStatus: 'FULL_TIME',
              description: '<p>You teach robots to carry, so that people do not have to.</p>',
              applyMethod: { external: { url: 'https://jobs.example/robotics-engineer' } },
              companyJobId: 'sandbox:otp',
              salary: { currency: 'EUR', min: 60000, max: 80000, payFrequency: 'YEARLY' },
            },
          },
        },
      },
      {
        name: 'PublishAtOnce',
        title: 'Publish a draft',
        variables: { input: { accountId: pnet, jobId: '1001', mode: 'FREE' } },
      },
      {
        name: 'PublishWithOtp',
        title: 'Publish with a one-time code',
        variables: { accountId: pnet, jobId: '1008', wrong: '999999', code: '123456' },
      },
      {
        name: 'PublishWithEmail',
        title: 'Publish with an email and a code',
        variables: { accountId: pnet, jobId: '1010', token: 'sandbox-email-token', code: '123456' },
      },
      {
        name: 'EditJob',
        title: 'Edit a posting',
        variables: {
          input: {
            accountId: pnet,
            jobId: '2001',
            posting: {
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
      },
      { name: 'WatchJobPostings', title: 'Watch postings', variables: { jobIds: ['1008', '2001'] } },
    ],
  },
  {
    title: 'Webhooks',
    examples: [
      { name: 'Webhooks', title: 'My webhooks', variables: { webhookId: id('hook-messaging'), first: 20 } },
      {
        name: 'SearchByName',
        title: 'Search by name',
        variables: { text: 'email', webhookOrder: 'NAME_ASC', jobOrder: 'UPDATED_AT_DESC' },
      },
      {
        name: 'CreateWebhook',
        title: 'Create a webhook',
        variables: {
          input: {
            name: 'New messages',
            requestUrl: 'https://hooks.example/messages',
            accountIds: [pnet],
            headers: [{ key: 'x-team', value: 'chat' }],
            idempotencyKey: 'messages-1',
            source: 'MESSAGING',
            events: ['MESSAGE_RECEIVED', 'MESSAGE_REACTION'],
            data: [
              { name: 'text', key: 'MESSAGE' },
              { name: 'from', key: 'SENDER' },
            ],
          },
        },
      },
      {
        name: 'UpdateWebhook',
        title: 'Change and enable a webhook',
        variables: {
          input: {
            webhookId: id('hook-email'),
            name: 'Team email',
            headers: [{ key: 'x-team', value: 'mail' }],
            isEnabled: true,
            receivesNotices: true,
          },
        },
      },
      {
        name: 'WebhookOfEverySource',
        title: 'A webhook of every source',
        variables: { url: 'https://hooks.example/every-source' },
      },
      {
        name: 'TriggerWebhook',
        title: 'A webhook that people fire',
        variables: {
          create: {
            name: 'Tickets',
            isEnabled: false,
            requestUrl: 'https://hooks.example/tickets',
            trigger: { name: 'Create a ticket', icon: 'SYNC_ALT_ICON', context: 'MESSAGE' },
          },
          enable: { webhookId: id('hook-trigger-message'), isEnabled: true },
          fire: {
            webhookId: id('hook-trigger-message'),
            accountId: id('chatapp'),
            chatId: 'chat-1',
            messageId: 'message-1',
          },
        },
      },
      { name: 'WebhookSecret', title: 'The secret that signs', variables: { webhookId: id('hook-email') } },
      { name: 'DeleteWebhook', title: 'Delete a webhook', variables: { webhookId: id('hook-users') } },
    ],
  },
  {
    title: 'Deliveries',
    examples: [
      { name: 'EventSamples', title: 'What events contain', variables: { source: 'MESSAGING' } },
      {
        name: 'EmitEvent',
        title: 'Emit an event',
        variables: { input: { accountId: id('chatapp'), event: 'MESSAGE_RECEIVED' } },
      },
      {
        name: 'Events',
        title: 'Events of accounts',
        variables: { accountIds: null, sources: null, events: null, after: null },
      },
      {
        name: 'WatchEvents',
        title: 'Watch events',
        variables: { accountIds: [id('chatapp')], events: ['MESSAGE_RECEIVED'], since: null },
      },
      {
        name: 'SendTestEvent',
        title: 'Send a test event',
        variables: {
          enable: { webhookId: id('hook-email'), isEnabled: true },
          input: { webhookId: id('hook-email'), event: 'MAIL_RECEIVED' },
        },
      },
      {
        name: 'Deliveries',
        title: 'Deliveries and their attempts',
        variables: { webhookId: id('hook-receiver-flaky'), deliveryId: noDelivery },
      },
      {
        name: 'WorkspaceDeliveries',
        title: 'Deliveries to all webhooks',
        variables: { states: null, orderBy: 'CREATED_AT_DESC', first: 20 },
      },
      { name: 'WatchDeliveries', title: 'Watch deliveries', variables: { webhookIds: null } },
      {
        name: 'Redeliver',
        title: 'Redeliver deliveries',
        variables: { all: { webhookId: id('hook-email'), state: 'FAILED' }, deliveryId: noDelivery },
      },
      {
        name: 'WebhookStatistics',
        title: 'Statistics of a webhook',
        variables: { webhookId: id('hook-receiver-flaky'), period: 'DAY' },
      },
      {
        name: 'WebhookSummary',
        title: 'How all webhooks are',
        variables: { period: 'DAY', healthStates: ['FAILING', 'DISABLED_BY_GATEWAY'] },
      },
    ],
  },
  {
    title: 'Errors',
    examples: [
      {
        name: 'TypedError',
        title: 'A read that fails',
        variables: { accountId: pnet, identifier: 'ACoSandboxUserUnreachable' },
      },
      {
        name: 'DeclinedPayment',
        title: 'A mutation that fails',
        variables: {
          input: {
            accountId: pnet,
            jobId: '1015',
            mode: 'PROMOTED',
            budget: { daily: { currency: 'EUR', amount: 25 } },
          },
        },
      },
    ],
  },
] as const satisfies readonly ExampleGroup[];

export const examples = exampleGroups.flatMap((group): readonly (typeof group.examples)[number][] => group.examples);

/** An example as a gateway shows it. */
export interface ServedExample extends Example {
  /** Paragraphs; the last says what to try next. */
  readonly about: readonly string[];
  readonly query: string;
}

export interface ServedGroup {
  readonly title: string;
  readonly examples: readonly ServedExample[];
}

/** The first page and GraphiQL have the same: a tenth of a second of work. */
const groupsOf = new WeakMap<GraphQLSchema, Promise<ServedGroup[]>>();

/** The groups of what a gateway serves: examples whose root fields it has, without what else it does not have. */
export function servedExamples(schema: GraphQLSchema): Promise<ServedGroup[]> {
  const groups = groupsOf.get(schema) ?? findServed(schema);
  groupsOf.set(schema, groups);
  return groups;
}

async function findServed(schema: GraphQLSchema): Promise<ServedGroup[]> {
  const served = async ({ title, examples: all }: ExampleGroup): Promise<ServedGroup> => ({
    title,
    examples: (await Promise.all(all.map((example) => servedExample(schema, example)))).flat(),
  });
  const groups = (await Promise.all(exampleGroups.map(served))).filter(({ examples: left }) => left.length > 0);
  const titles = new Set(groups.flatMap(({ examples: left }) => left.map(({ title }) => title)));
  const missing = examples.flatMap(({ title }) => (titles.has(title) ? [] : `"${title}"`));
  const isTrue = (paragraph: string) => !missing.some((title) => paragraph.includes(title));
  return groups.map(({ title, examples: left }) => ({
    title,
    examples: left.map((example) => ({ ...example, about: example.about.filter(isTrue) })),
  }));
}

async function servedExample(schema: GraphQLSchema, example: Example): Promise<ServedExample[]> {
  const { about, query } = await exampleParts(example);
  const document = parse(query);
  const [operation] = document.definitions.filter(isOperation);
  const root = operation && schema.getRootType(operation.operation)?.getFields();
  if (!root || rootFieldsOf(operation).some((name) => !(name in root))) return [];
  if (validate(schema, document).length === 0) return [{ ...example, about, query }];
  const part = servedPart(schema, document);
  if (part === undefined || validate(schema, part).length > 0) return [];
  const declared = part.definitions.filter(isOperation).flatMap(({ variableDefinitions = [] }) => variableDefinitions);
  const names = new Set(declared.map(({ variable }) => variable.name.value));
  const variables = Object.fromEntries(Object.entries(example.variables).filter(([name]) => names.has(name)));
  return [{ ...example, about, query: `${print(part)}\n`, variables }];
}

const rootFieldsOf = ({ selectionSet }: OperationDefinitionNode): string[] =>
  selectionSet.selections.flatMap((each) => (each.kind === Kind.FIELD ? each.name.value : []));

const isOperation = (node: DefinitionNode): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION;

/** The document without the selections that the schema does not have, and their variables; undefined if nothing is left. */
export function servedPart(schema: GraphQLSchema, document: DocumentNode): DocumentNode | undefined {
  const types = new TypeInfo(schema);
  const selected = visit(
    document,
    visitWithTypeInfo(types, {
      Field: {
        enter: () => (types.getFieldDef() ? undefined : null),
        leave: (node) => (node.selectionSet?.selections.length === 0 ? null : undefined),
      },
      InlineFragment: {
        enter: ({ typeCondition }) => (typeCondition && !schema.getType(typeCondition.name.value) ? null : undefined),
        leave: ({ selectionSet }) => (selectionSet.selections.length === 0 ? null : undefined),
      },
    }),
  );
  if (selected.definitions.some((node) => isOperation(node) && node.selectionSet.selections.length === 0)) return;
  const used = new Set<string>();
  visit(selected, {
    VariableDefinition: () => false,
    Variable({ name }) {
      used.add(name.value);
    },
  });
  return visit(selected, { VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? false : null) });
}

/** The comment on top of the file explains the example: GraphiQL shows it beside the operation, which it would hide. */
export async function exampleParts({ name }: Example): Promise<Pick<ServedExample, 'about' | 'query'>> {
  const text = await readFile(new URL(`examples/${name}.graphql`, import.meta.url), 'utf8');
  const [comment = ''] = /^(?:#.*\n)*/.exec(text) ?? [];
  const about = comment.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(/^# ?/, '')]));
  return { about, query: text.slice(comment.length) };
}
