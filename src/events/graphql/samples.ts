import { readsList } from '../../graphql/cost/weights.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { nullMeansError } from '../../graphql/kit/semantic-nullability.ts';
import { invalidParameters } from '../../kernel/issues.ts';
import { samplesOf } from '../samples.ts';
import { webhookSourceNames } from '../sources.ts';
import { WebhookEventEnum, WebhookSourceEnum } from './enums.ts';

const EventSampleObject = builder.objectRef<ReturnType<typeof samplesOf>[number]>('EventSample').implement({
  description: 'A sample of an event.',
  fields: (t) => ({
    source: t.expose('source', { type: WebhookSourceEnum, description: 'Source of the event.' }),
    event: t.expose('event', { type: WebhookEventEnum, description: 'The event.' }),
    payload: t.expose('payload', {
      type: 'JSON',
      description: 'Body of a delivery as JSON, with the default `data`.',
    }),
  }),
});

const unknownSource = () =>
  invalidParameters([
    { path: ['source'], code: 'not_allowed', message: `must be one of ${webhookSourceNames.join(', ').toUpperCase()}` },
  ]);

/** Documentation does not change with the clock. */
const sampleTime = new Date('2026-11-20T10:15:00Z');

builder.queryField('eventSamples', (t) =>
  t.field({
    type: [EventSampleObject],
    nullable: true,
    extensions: { ...readsList(40), ...nullMeansError },
    description: 'A realistic payload of each event.',
    args: {
      source: t.arg({ type: WebhookSourceEnum, description: 'Source of the events. Defaults to all.' }),
    },
    resolve: (_root, { source }) => {
      // No shape checks it: UNRECOGNIZED is a word that no source has.
      if (source && !webhookSourceNames.includes(source)) throw unknownSource();
      return (source ? [source] : webhookSourceNames).flatMap((name) => samplesOf(name, sampleTime));
    },
  }),
);
