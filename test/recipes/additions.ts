/** The recipes of the documentation but for that of a shape of posts, by their headings. All can be followed at once. */
import type { Recipe } from './copy-of-source.ts';

export const additions: Readonly<Record<string, Recipe>> = {
  'Add a field to posts': {
    edits: {
      'src/capabilities/posts/shapes.ts': [
        [
          '  share_url: z.string(),\n  title:',
          '  share_url: z.string(),\n  is_pinned: z.boolean().optional(),\n  title:',
        ],
      ],
      'src/capabilities/posts/graphql/pnet.ts': [
        [
          "    url: t.exposeString('share_url', required('URL.')),",
          `    url: t.exposeString('share_url', required('URL.')),
    isPinned: t.exposeBoolean('is_pinned', optional('Whether the author has pinned the post.')),`,
        ],
      ],
      'src/providers/sandbox/pnet/post.ts': [
        [
          '  if (index % 7 === 3) post.title',
          '  if (index === 0) post.is_pinned = true;\n  if (index % 7 === 3) post.title',
        ],
      ],
    },
  },
  'Add an event, a payload key or a webhook source': {
    edits: {
      'src/events/sources.ts': [
        [
          "      new_relation: 'The account has a new relation.',",
          `      new_relation: 'The account has a new relation.',
      relation_removed: 'The account has a relation less.',`,
        ],
        [
          '  account_status: source({',
          `  calls: source({
    mapping: 'chosen',
    description: 'Telephone calls.',
    events: { call_ended: 'A call has ended.' },
    keys: { account_id, account_type, webhook_name, call_minutes: 'Length of the call.' },
  }),
  account_status: source({`,
        ],
      ],
      'src/events/samples.ts': [
        ['  account_status: (at) =>', '  calls: () => ({ call_minutes: 7 }),\n  account_status: (at) =>'],
        ["  account_status: 'PNET',", "  calls: 'PNET',\n  account_status: 'PNET',"],
      ],
    },
  },
  'Add a mutation': {
    edits: {
      'src/capabilities/jobs/shapes.ts': [
        [
          'export type JobState =',
          `export const jobCloseShape = z.strictObject({ job_id: resourceId(), account_id: resourceId() });
export type JobClose = z.infer<typeof jobCloseShape>;

export type JobState =`,
        ],
      ],
      'src/capabilities/jobs/port.ts': [
        ['  JobCheckpoint,\n', '  JobCheckpoint,\n  JobClose,\n'],
        [
          '  createDraft(context',
          `  close(context: RequestContext, request: JobClose): Promise<JobEdited>;
  createDraft(context`,
        ],
      ],
      'src/capabilities/jobs/operations.ts': [
        ['  jobCheckpointShape,\n  jobDraftShape', '  jobCheckpointShape,\n  jobCloseShape,\n  jobDraftShape'],
        [
          'export const findJobs',
          `export const closeJob = ofPostings('jobs:write', jobCloseShape, ({ jobs }) => jobs.close);
export const findJobs`,
        ],
      ],
      'src/capabilities/jobs/embedded.ts': [
        [
          '    async createDraft(context',
          `    async close(context, { job_id, account_id }) {
      await sessionOf(context, account_id);
      return underLease(leases, job_id, context, async (lease) => {
        requireEditable(await requireJob(database, context.caller, account_id, job_id));
        await lease.store({ state: 'closed' });
        return { object: 'PnetJobPostingEdited', job_id };
      });
    },

    async createDraft(context`,
        ],
      ],
      'src/capabilities/jobs/graphql/inputs.ts': [
        [
          'export const CreateJobDraftInput =',
          `export const CloseJobInput = builder.inputType('CloseJobInput', {
  description: 'The job to close.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Account that makes the request.' }),
    jobId: t.id({ required: true, description: 'Job to close.' }),
  }),
});

export const CreateJobDraftInput =`,
        ],
      ],
      'src/capabilities/jobs/graphql/mutations.ts': [
        ['import { createJobDraft, editJob,', 'import { closeJob, createJobDraft, editJob,'],
        ['import {\n  CreateJobDraftInput,', 'import {\n  CloseJobInput,\n  CreateJobDraftInput,'],
        [
          "mutationField('createJobDraft',",
          `mutationField('closeJob', {
  description: 'Closes a job posting.',
  input: CloseJobInput,
  inputDescription: 'The job to close.',
  result: mutationResult<JobEdited>('CloseJobResult', 'The closed job, or an error.', [PnetJobPostingEditedObject]),
  operation: closeJob,
});

mutationField('createJobDraft',`,
        ],
      ],
    },
  },
  'Change the database schema': {
    edits: {
      'src/store/migrations/since-baseline.ts': [
        [
          "  '025_response_headers': {",
          `  '999_notes': {
    worksFrom: '021_event_index',
    /** What the owner of a posting writes down about it. */
    async up(db: Kysely<never>) {
      await db.schema.alterTable('jobs').addColumn('note', 'text').execute();
    },
  },
  '025_response_headers': {`,
        ],
      ],
    },
  },
  'Add a setting': {
    edits: {
      'src/app/config/variables.ts': [
        [
          "  HOST: prefault(z.string(), '127.0.0.1')",
          "  REGION: prefault(z.string(), 'home').describe('Where the gateway runs, for its log.'),\n  HOST: prefault(z.string(), '127.0.0.1')",
        ],
      ],
      'src/app/config/config.ts': [['    host: values.HOST,', '    region: values.REGION,\n    host: values.HOST,']],
    },
  },
  'Add a metric': {
    edits: {
      'src/telemetry/series.ts': [
        [
          'const series = {',
          "const series = {\n  'postern.requests.keyless': counter('{request}', 'Requests without an API key.'),",
        ],
      ],
      'src/http/observed-requests.ts': [
        [
          '    const { cache, operationType } = facts;',
          `    if (facts.keyId === undefined) metrics.count('postern.requests.keyless', {});
    const { cache, operationType } = facts;`,
        ],
      ],
    },
  },
  'Add an error code': {
    edits: {
      'src/kernel/errors.ts': [
        [
          'export const errorTable = {',
          "export const errorTable = {\n  already_closed: row(422, 'object', 'Already closed'),",
        ],
      ],
      'src/capabilities/jobs/embedded.ts': [
        [
          "throw new ServiceError('action_already_performed', { detail: 'The job is closed:",
          "throw new ServiceError('already_closed', { detail: 'The job is closed:",
        ],
      ],
    },
  },
};
