import { disabledEvent } from '../../../events/event.ts';
import { contractEnum } from '../../../graphql/kit/enums.ts';
import type { StatisticsPeriod } from '../../../kernel/periods.ts';
import type { FailureReason } from '../../../net/outbound.ts';
import type { DeliveryOrder, DeliveryState } from '../shapes.ts';

export const DeliveryStateEnum = contractEnum('DeliveryState', 'State of a delivery.', {
  pending: 'Waits for its first or next attempt, or one is in progress.',
  held: 'Waits until redelivered: the webhook was disabled or did not listen.',
  succeeded: 'The endpoint responded with 2xx within 15 seconds.',
  failed: 'All attempts failed, or the endpoint responded with 410.',
} satisfies Record<DeliveryState, string>);

export const DeliveryOrderEnum = contractEnum('DeliveryOrder', 'Order of a list of deliveries.', {
  created_at_desc: 'The newest first.',
  created_at_asc: 'The oldest first.',
} satisfies Record<DeliveryOrder, string>);

export const NoticeEnum = contractEnum('WebhookNotice', 'What a webhook is notified of besides events.', {
  [disabledEvent]: 'The gateway has disabled another webhook.',
});

export const StatisticsPeriodEnum = contractEnum('StatisticsPeriod', 'A period up to now.', {
  hour: 'An hour, in spans of 5 minutes.',
  day: '24 hours, in spans of an hour.',
  week: '7 days, in spans of 6 hours.',
  month: '30 days, in spans of a day.',
} satisfies Record<StatisticsPeriod, string>);

export const FailureReasonEnum = contractEnum(
  'DeliveryFailureReason',
  'Why an attempt received no complete response.',
  {
    address_refused: 'The address is not public, and not allowed.',
    name_not_found: 'The host name could not be resolved.',
    connection_failed: 'The connection could not be established.',
    connection_lost: 'The connection closed before the end of the response.',
    tls_failed: 'The TLS handshake or the certificate failed.',
    timeout: 'The response was not complete within 15 seconds.',
    invalid_response: 'The response was not valid HTTP.',
  } satisfies Record<FailureReason, string>,
);
