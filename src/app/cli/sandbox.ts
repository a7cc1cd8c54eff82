/** Emits events of sandbox accounts, which the running gateway on the same database delivers. */

import { findOldestAccount } from '../../auth/account-repository.ts';
import { createEmit } from '../../delivery/emit.ts';
import { sampleData } from '../../events/samples.ts';
import { type WebhookEvent, webhookSourceNames, webhookSources } from '../../events/sources.ts';
import { afterTimeout } from '../../kernel/lib/after.ts';
import { notifyingTransaction } from '../../store/notifications.ts';
import { createStoredBytes } from '../../store/stored-bytes.ts';
import { choiceOption, readOptions, runCommand, type Subcommand, table } from './command.ts';
import { UsageError, writeNote } from './report-error.ts';

const usage = `Emits sample events of accounts.

Usage:
  npx postern sandbox emit <source> <event> [--account <id>]
  npx postern sandbox events

emit stores an event with sample data, to be delivered to every webhook that subscribes to it, and prints its id.
  --account   the account of the event, by id (default: the oldest account)
events lists all sources and events.
`;

const emit: Subcommand = (args) => {
  const { options, positionals } = readOptions(args, ['account'], 2);
  const [sourceText, eventText] = positionals;
  if (sourceText === undefined || eventText === undefined) {
    throw new UsageError('emit needs a source and an event: see "npx postern sandbox events".');
  }
  const source = choiceOption(sourceText, '<source>', webhookSourceNames);
  const event = choiceOption<WebhookEvent>(eventText, '<event>', webhookSources[source].events);
  return async ({ database, config, now, randomBytes }) => {
    const accountIds = options.account === undefined ? null : new Set([options.account]);
    const account = await findOldestAccount(database, { accountIds });
    if (account === undefined) {
      throw new UsageError(
        options.account === undefined
          ? 'No account is connected yet: start the gateway once on this database, or connect one with "npx postern account".'
          : `--account names ${options.account}, which is not an account: see "npx postern account list".`,
      );
    }
    const storedBytes = createStoredBytes({
      database,
      maxBytes: config.storedBytesPerWorkspace,
      now: () => now,
      after: afterTimeout,
      trouble: {
        failed: () => writeNote('The bytes of the event could not be counted for its workspace.'),
        worked: () => undefined,
      },
      unread: {
        failed: () => writeNote('The quota of the workspace could not be read.'),
        worked: () => undefined,
      },
    });
    await storedBytes.requireRoom(account.workspace_id);
    const store = createEmit({
      transaction: notifyingTransaction(database),
      now: () => now,
      randomBytes,
      storedBytes,
    });
    const { eventId, deliveries } = await store({
      workspaceId: account.workspace_id,
      accountId: account.id,
      accountType: account.type,
      source,
      event,
      data: sampleData(source, event, now),
    });
    await storedBytes.close();
    writeNote(
      `Stored ${event} of the account ${account.id}, to be delivered to ${deliveries.length} webhook${deliveries.length === 1 ? '' : 's'}. Its id:`,
    );
    return eventId;
  };
};

const events: Subcommand = (args) => {
  readOptions(args, []);
  return async () =>
    table(
      ['SOURCE', 'EVENT'],
      webhookSourceNames.flatMap((source) => webhookSources[source].events.map((event) => [source, event])),
    );
};

await runCommand(usage, { emit, events });
