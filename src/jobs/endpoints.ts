import { z } from 'zod';
import type { Endpoint } from '../endpoint.ts';
import { editJob, publishJob, solveJobCheckpoint } from './operations.ts';
import { jobCheckpointOpenedShape, jobEditedShape, jobPublishedShape } from './shapes.ts';

const published = z.discriminatedUnion('object', [jobPublishedShape, jobCheckpointOpenedShape]);

export const jobEndpoints = [
  {
    name: 'EDIT',
    method: 'PATCH',
    path: '/pnet/jobs/{job_id}',
    summary: 'Edit a job posting',
    operation: editJob,
    status: 200,
    answer: jobEditedShape,
    body: true,
  },
  {
    name: 'PUB',
    method: 'POST',
    path: '/pnet/jobs/{draft_id}/publish',
    summary: 'Publish a draft',
    operation: publishJob,
    status: 200,
    answer: published,
    body: true,
  },
  {
    name: 'CHK',
    method: 'POST',
    path: '/pnet/jobs/{draft_id}/checkpoint',
    summary: 'Solve a publishing checkpoint',
    operation: solveJobCheckpoint,
    status: 200,
    answer: published,
    body: true,
  },
] as const satisfies readonly Endpoint[];
