/**
 * Types without an `id`, because they cannot be refetched and mean nothing without the object that contains them. With
 * an `id`, a cache would store them apart from that object and show them after it has changed.
 */
export const valueObjects = {
  suffixes: [
    // Pages: their place depends on the arguments of the field.
    'Connection',
    'Edge',
    // Failures: each belongs to one request, whose id is `instance`.
    'Error',
  ],
  types: [
    'PageInfo',
    'RequestIssue',
    // Parts of a job posting. An edit replaces each as a whole.
    'AutoArchiveApplicants',
    'ApplyMethod',
    'PnetJobName',
    'PnetJobPay',
    'PnetJobRecruiter',
    'ScreeningQuestion',
    // Parts of a post. Their ids on pnet are `providerId`; no operation takes one.
    'PhotonetCaption',
    'PhotonetLocation',
    'PhotonetMedia',
    'PnetGroup',
    'PnetMention',
    'PnetPoll',
    'PnetPollOption',
    'PnetPostAnalytics',
    'PnetPostAttachment',
    'PnetRepostContent',
    'PnetWriter',
    // Parts of a webhook. WebhookAccount has the fields of the contract; its `account` has an id.
    'WebhookAccount',
    'WebhookDataMapping',
    'WebhookHeader',
    'WebhookTrigger',
    'WebhookHealth',
    'WebhookSummary',
    'WebhookBacklog',
    'WebhookStatistics',
    'AttemptStatistics',
    // Parts of a delivery. The number of an attempt identifies it.
    'DeliveryAttempt',
    // Documentation: a sample describes no object that exists.
    'EventSample',
    // Results of mutations: the object with the id is one of their fields, or `deletedId` is its id.
    'PnetJobPostingEdited',
    'PnetJobPostingPublishCheckpoint',
    'PnetJobPostingPublished',
    'WebhookCreated',
    'WebhookDeleted',
    'WebhookUpdated',
    'WebhookSecret',
    'PnetJobPostingCreated',
    'DeliveriesRedelivered',
    'DeliveryScheduled',
    'EventEmitted',
    // Nowhere stored.
    'AccessTokenCreated',
  ],
};
