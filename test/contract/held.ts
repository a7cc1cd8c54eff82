/** What the project's tables and shapes hold, in the words of stated.ts. */
import type { z } from 'zod';
import { accountTypes } from '../../src/auth/account.ts';
import * as jobs from '../../src/capabilities/jobs/shapes.ts';
import * as words from '../../src/capabilities/jobs/vocabulary.ts';
import * as posts from '../../src/capabilities/posts/shapes.ts';
import * as webhooks from '../../src/capabilities/webhooks/shapes.ts';
import { webhookSourceNames, webhookSources } from '../../src/events/sources.ts';
import { endpointNames } from '../../src/kernel/endpoint.ts';
import { errorNames, errorTable, ServiceError, toEnvelope } from '../../src/kernel/errors.ts';
import { allowedErrors } from '../../src/rest/allowed-errors.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import type { Facts } from './stated.ts';

/** What the project adds to the contract on purpose, and documents: the rows by subject. */
export const additions: Facts = {
  // The photo network's posts are read with an account, and the contract has no type for it.
  'account types': ['PHOTONET'],
};

export function heldFacts(): Facts {
  const order = ['EDIT', 'POSTS', 'WHLIST', 'WHCREATE', 'WHDEL', 'PUB', 'CHK'];
  const { functions, industries, skills } = jobs.recruiterLimits;
  const listLimit = ({ limit }: typeof posts.postLimits | typeof webhooks.webhookLimits) =>
    `integer ${limit.min} to ${limit.max}; default ${limit.default}`;
  return {
    legend: order
      .map((name, index) => `${index + 1} ${name}`)
      .filter((_, index) => endpointNames[index] === order[index]),
    errors: errorNames.map((name) => `${errorTable[name].status} ${name}`),
    'errors by endpoint': endpointNames.flatMap((endpoint) =>
      allowedErrors(endpoint).map((name) => `${endpoint} ${name}`),
    ),
    endpoints: endpoints.map(({ method, path, summary }) => `${method} /v1${path}: ${summary}`),
    limits: [
      `GET posts limit: ${listLimit(posts.postLimits)}`,
      'GET posts cursor: minimum length 1',
      `GET webhooks limit: ${listLimit(webhooks.webhookLimits)}; above ${webhooks.webhookLimits.limit.max} gives 400 errors/limit_too_high`,
      `recruiter functions: ${functions.min} to ${functions.max} ids`,
      `recruiter industries: ${industries.min} to ${industries.max} ids`,
      `recruiter skills: ${skills.min} to ${skills.max} ids`,
    ],

    workplaces: words.workplaces,
    'employment statuses': words.employmentStatuses,
    seniorities: words.seniorities,
    'pay frequencies': words.payFrequencies,
    'job services': words.jobServices,
    'publish modes': words.publishModes,
    'job states': words.jobStates,
    'job states of results': jobs.jobPublishedShape.shape.job_state.options,
    'checkpoint types': words.checkpointTypes,
    'answer types': tagsOf(jobs.screeningQuestionShape, 'answer_type'),
    'apply methods': tagsOf(jobs.applyMethodShape, 'type'),
    reactions: posts.reactions,
    providers: posts.postProviders,
    'account types': accountTypes,
    'trigger icons': webhooks.triggerIcons,
    'trigger contexts': webhooks.triggerContexts,
    'webhook types': webhooks.webhookTypes,
    'webhook formats': webhooks.webhookFormats,
    'sources of the create body': tagsOf(webhooks.webhookCreateShape, 'source'),
    events: webhookSourceNames.flatMap((source) => webhookSources[source].events.map((event) => `${source} ${event}`)),
    'data keys': webhookSourceNames.flatMap((source) => {
      const keys: readonly string[] = webhookSources[source].keys;
      return (keys.length === 0 ? ['none'] : keys).map((key) => `${source} ${key}`);
    }),

    'fields of the edit body': fieldsOf(jobs.jobEditShape, 'job_id'),
    'fields of a numeric question': fieldsOf(variant(jobs.screeningQuestionShape, 'answer_type', 'numeric')),
    'fields of a choice question': fieldsOf(variant(jobs.screeningQuestionShape, 'answer_type', 'multiple_choices')),
    'fields of the recruiter block': fieldsOf(jobs.jobFields.recruiter.unwrap()),
    'fields of the publish body': fieldsOf(jobs.jobPublishShape, 'draft_id'),
    'fields of the checkpoint body': fieldsOf(jobs.jobCheckpointShape, 'draft_id'),
    'fields of job results': [jobs.jobEditedShape, jobs.jobPublishedShape, jobs.jobCheckpointOpenedShape].flatMap(
      (shape) => fieldsOf(shape, 'object').map((field) => `${shape.shape.object.value} ${field}`),
    ),
    'fields of the post list': fieldsOf(posts.postListShape),
    'fields of a pnet post': fieldsOf(posts.pnetPostShape),
    'fields of attachments': attachmentFields(),
    'fields of a photonet post': fieldsOf(posts.photonetPostShape),
    'fields of a webhook': fieldsOf(variant(webhooks.webhookShape, 'type', 'AUTO')),
    'fields of the create body': fieldsOf(webhooks.webhookCreateShape),
    'fields of the list query of posts': fieldsOf(posts.postListRequestShape, 'identifier'),
    'fields of the error envelope': Object.keys(toEnvelope(new ServiceError('unexpected_error', { detail: 'x' }), 'x')),
  };
}

type Variants = z.ZodDiscriminatedUnion<readonly z.ZodObject[]>;

/** The values that tell the variants of a union apart. */
const tagsOf = (union: unknown, tag: string): string[] =>
  (union as Variants).options.map((option) => (option.shape[tag] as z.ZodLiteral<string>).value);

function variant(union: unknown, tag: string, value: string): z.ZodObject {
  const found = (union as Variants).options.find((option) => (option.shape[tag] as z.ZodLiteral).value === value);
  if (found === undefined) throw new Error(`No variant has ${tag} ${value}`);
  return found;
}

/** `name R` or `name O` of each field; of a union R is what every variant requires. Ids of the path are left out. */
function fieldsOf(shape: unknown, ...without: string[]): string[] {
  const variants = 'options' in (shape as object) ? (shape as Variants).options : [shape as z.ZodObject];
  const names = new Set(variants.flatMap((each) => Object.keys(each.shape)));
  return [...names]
    .filter((name) => !without.includes(name))
    .map((name) => {
      const optional = variants.some(
        (each) => (each.shape[name] as z.ZodType | undefined)?.safeParse(undefined).success ?? true,
      );
      return `${name} ${optional ? 'O' : 'R'}`;
    });
}

/** What each variant of an attachment has beyond what all have. */
function attachmentFields(): string[] {
  const union = posts.pnetPostShape.shape.attachments.element as unknown as Variants;
  const all = union.options.map((option) => fieldsOf(option));
  const common = (all[0] ?? []).filter((field) => all.every((each) => each.includes(field)));
  return union.options.flatMap((option) => {
    const type = (option.shape.type as z.ZodLiteral<string>).value;
    const more = fieldsOf(option).filter((field) => !common.includes(field));
    return more.length === 0 ? [`${type} nothing more`] : more.map((field) => `${type} ${field}`);
  });
}
