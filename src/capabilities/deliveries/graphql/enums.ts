import { disabledEvent } from '../../../events/event.ts';
import { contractEnum } from '../../../graphql/kit/enums.ts';
import type { StatisticsPeriod } from '../../../kernel/periods.ts';
import type { FailureReason } from '../../../net/outbound.ts';
import type { DeliveryOrder, DeliveryState, RedeliverableState } from '../shapes.ts';

export const DeliveryStateEnum = contractEnum('DeliveryState', 'State of a delivery.', {
  pending: 'The delivery waits for its next attempt, or an attempt is in progress.',
  held: 'The webhook was disabled, or no longer listens to the account. The delivery waits until you redeliver it.',
  succeeded: 'The endpoint responded with a status from 200 to 299 within 15 seconds.',
  failed: 'All attempts failed, or the endpoint responded with the status 410.',
} satisfies Record<DeliveryState, string>);

export const DeliveryOrderEnum = contractEnum('DeliveryOrder', 'Order of a list of deliveries.', {
  created_at_desc: 'The newest first.',
  created_at_asc: 'The oldest first.',
} satisfies Record<DeliveryOrder, string>);

export const NoticeEnum = contractEnum(
  'WebhookNotice',
  'What a webhook can be notified of besides the events of accounts.',
  {
    [disabledEvent]: 'The gateway has disabled another webhook of the workspace.',
  },
);

export const StatisticsPeriodEnum = contractEnum('StatisticsPeriod', 'A period up to now.', {
  hour: 'An hour, in spans of 5 minutes.',
  day: '24 hours, in spans of an hour.',
  week: '7 days, in spans of 6 hours.',
  month: '30 days, in spans of a day.',
} satisfies Record<StatisticsPeriod, string>);

export const RedeliverableStateEnum = contractEnum('RedeliverableState', 'State of the deliveries to redeliver.', {
  pending:
    'Deliveries that wait for their next attempt, or for the end of a pause of the endpoint. They are sent now, and their retry schedule goes on.',
  held: 'Deliveries held because the webhook was disabled, or did not listen to the account for a time.',
  failed: 'Deliveries that failed permanently.',
  succeeded: 'Deliveries that succeeded. The endpoint receives them again.',
} satisfies Record<RedeliverableState, string>);

export const FailureReasonEnum = contractEnum(
  'DeliveryFailureReason',
  'Why an attempt received no complete response.',
  {
    address_refused: 'The address is not public, and this deployment does not allow it.',
    name_not_found: 'The host name could not be resolved.',
    connection_failed: 'The connection could not be established.',
    connection_lost: 'The connection closed before the response was complete.',
    tls_failed: 'The TLS handshake failed or the certificate was rejected.',
    timeout: 'The response was not complete within 15 seconds.',
    invalid_response: 'The response was not valid HTTP.',
  } satisfies Record<FailureReason, string>,
);
