/** What pages and programs need beside their GraphQL client. Web standards only: it runs in browsers, Node.js and at the edge. */
export { type AccessTokens, createAccessTokens } from './access-token.ts';
export { apolloCache } from './apollo-cache.ts';
export { type DevProxyOptions, devProxy } from './dev-proxy.ts';
export { eventStream } from './event-stream.ts';
export { mergeFeeds } from './merge-feeds.ts';
export { mergePages, type Page } from './merge-pages.ts';
export { createNotes, type Notes } from './notes.ts';
export { possibleTypes } from './possible-types.ts';
export { type RepeatedUpdates, repeatUpdates } from './repeat-updates.ts';
export { createRetry, type Retry, type RetryOptions, retry } from './retry.ts';
export type * from './schema-types.ts';
export { type Operation, readResult, type SendOptions, sendOperation } from './send-operation.ts';
export { type ResponseError, type Result, type Skipped, skipFailed } from './skip-failed.ts';
export { type SteadyFetchOptions, steadyFetch } from './steady-fetch.ts';
export { createStreams, type StreamsOptions } from './streams.ts';
export { urqlCache } from './urql-cache.ts';
export {
  type VerifiedWebhook,
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
  type WebhookPayload,
  type WebhookRequest,
} from './verify-webhook.ts';
export { SubscriptionError, type WatchOptions, watch } from './watch.ts';
