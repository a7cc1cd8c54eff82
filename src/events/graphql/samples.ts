import { builder } from '../../graphql/builder.ts';
import { samplesOf } from '../samples.ts';
import { webhookSourceNames } from '../sources.ts';
import { WebhookEventEnum, WebhookSourceEnum } from './enums.ts';

const EventSample = builder.objectRef<ReturnType<typeof samplesOf>[number]>('EventSample').implement({
  description: 'What an event looks like.',
  fields: (t) => ({
    source: t.expose('source', { type: WebhookSourceEnum, description: 'Its family.' }),
    event: t.expose('event', { type: WebhookEventEnum, description: 'The event.' }),
    payload: t.expose('payload', {
      type: 'JSON',
      description: 'The body of a delivery to a webhook that chooses no fields and has the format JSON.',
    }),
  }),
});

/** Samples are documentation: they are the same at any time. */
const sampleTime = new Date('2026-11-20T10:15:00Z');

builder.queryField('eventSamples', (t) =>
  t.field({
    type: [EventSample],
    description: 'A realistic payload for every event of a source, or of all sources. It needs no scope.',
    args: { source: t.arg({ type: WebhookSourceEnum, description: 'The source; all of them when left out.' }) },
    resolve: (_root, { source }) =>
      (source ? [source] : webhookSourceNames).flatMap((name) => samplesOf(name, sampleTime)),
  }),
);
