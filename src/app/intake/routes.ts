/** `POST /intake/<event>`: acknowledged once the event is stored with its deliveries. */
import { timingSafeEqual } from 'node:crypto';
import type { AdmissionLimits } from '../../auth/admission.ts';
import { sourceOfEvents, type WebhookEvent } from '../../events/sources.ts';
import { HttpRefusal } from '../../http/http-refusal.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import type { Route } from '../../http/router.ts';
import { sendJson } from '../../http/send.ts';
import { malformedRequest, ServiceError } from '../../kernel/errors.ts';
import { decodeText } from '../../kernel/lib/json-text.ts';
import { clientOf } from '../../net/addresses.ts';
import type { Inbox } from './inbox.ts';
import { intakeHeader, intakePath } from './intake.ts';
import { readEvent, readFields } from './payload.ts';

interface IntakeRouteOptions {
  readonly inbox: Inbox;
  /** Current and former ones. */
  readonly secrets: readonly string[];
  readonly limits: Pick<AdmissionLimits, 'wrongKeys'>;
  /** Words of the service, put into those of the contract. */
  readonly translate: (fields: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** The contract has no status of its own for it. */
function asStatus(error: unknown): never {
  if (!(error instanceof ServiceError) || error.errorName !== 'content_too_large') throw error;
  throw new HttpRefusal(413, { detail: error.message });
}

export function intakeRoutes({ inbox, secrets, limits, translate }: IntakeRouteOptions): Route[] {
  const known = secrets.map((secret) => Buffer.from(secret));

  async function requireSecret(request: IncomingRequest): Promise<void> {
    const sent = request.raw.headers[intakeHeader];
    const bytes = Buffer.from(typeof sent === 'string' ? sent : '');
    if (known.some((secret) => secret.length === bytes.length && timingSafeEqual(secret, bytes))) return;
    request.addHeaders(await limits.wrongKeys.take(clientOf(request.ip)));
    throw new ServiceError('invalid_credentials', { detail: `Send the secret as ${intakeHeader}.`, family: 'key' });
  }

  return [
    {
      method: 'POST',
      path: `${intakePath}/:event`,
      async serve(request, { event = '' }) {
        await requireSecret(request);
        const source = sourceOfEvents([event]);
        if (source === null) throw new ServiceError('resource_not_found', { detail: 'There is no such event.' });
        const named = event as WebhookEvent;
        const { 'content-encoding': coding = 'identity', 'content-type': type = '' } = request.headers;
        if (coding !== 'identity') throw malformedRequest('Send the body without a content coding.');
        const text = decodeText(await request.body().catch(asStatus));
        const received = readEvent(source, translate(readFields(String(type), text, source, named)));
        const messageId = request.raw.headers['webhook-id'];
        // An empty one would make all events one.
        const id = typeof messageId === 'string' && messageId !== '' ? messageId : undefined;
        const eventId = await inbox.store(source, named, received, id).catch(asStatus);
        sendJson(request, 200, { object: 'EventReceived', event_id: eventId });
      },
    },
  ];
}
