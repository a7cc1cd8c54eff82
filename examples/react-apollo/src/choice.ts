/** Which deliveries the page shows: those in a state, those of a webhook, or all. */
export interface Choice {
  readonly state: State | null;
  readonly webhookId: string | null;
}

export const states = ['PENDING', 'SUCCEEDED', 'FAILED', 'HELD'] as const;
type State = (typeof states)[number];

export const everything: Choice = { state: null, webhookId: null };

/** The arguments of the list. */
export const argumentsOf = ({ state, webhookId }: Choice) => ({ states: state === null ? null : [state], webhookId });

/** Whether a delivery belongs to the list. It may be in the cache as a part of it, and have another state since. */
export const isOf = ({ state, webhookId }: Choice, delivery: { readonly state: State; readonly webhookId: string }) =>
  (state === null || state === delivery.state) && (webhookId === null || webhookId === delivery.webhookId);
