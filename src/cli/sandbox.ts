/** The command that lets sandbox accounts produce events. The gateway that runs on the database delivers them. */

import { createEmit } from '../delivery/emit.ts';
import { notifyingTransaction } from '../delivery/notifications.ts';
import { sampleData } from '../events/samples.ts';
import { type WebhookEvent, webhookSourceNames, webhookSources } from '../events/sources.ts';
import { oneOf, readOptions, runCommand, type Subcommand, table } from './command.ts';
import { UsageError } from './report-error.ts';

const usage = `Events of sandbox accounts.

Usage:
  npm run sandbox -- emit <source> <event> [--account <id>]
  npm run sandbox -- events

emit stores an event with sample data, to be delivered to every webhook that listens to it.
  --account   the account that it happens to; the oldest one when left out
events lists what there is.
`;

const emit: Subcommand = (args) => {
  const { options, positionals } = readOptions(args, ['account'], 2);
  const [sourceText = '', eventText = ''] = positionals;
  const source = oneOf(sourceText, 'source', webhookSourceNames);
  const event = oneOf<WebhookEvent>(eventText, 'event', webhookSources[source].events);
  return async ({ database, location, now, randomBytes, say }) => {
    const account = await database
      .selectFrom('accounts')
      .select(['id', 'type', 'workspace_id'])
      .$if(options.account !== undefined, (query) => query.where('id', '=', options.account ?? ''))
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst();
    if (account === undefined) {
      throw new UsageError(
        options.account === undefined
          ? 'There is no account yet: start the gateway once on this database, or connect one.'
          : `--account names ${options.account}, which is no account: see "npm run account -- list".`,
      );
    }
    const store = createEmit({
      transaction: notifyingTransaction(database, location.kind),
      kind: location.kind,
      now: () => now,
      randomBytes,
    });
    const { eventId, deliveries } = await store({
      workspaceId: account.workspace_id,
      accountId: account.id,
      accountType: account.type,
      source,
      event,
      data: sampleData(source, event, now),
    });
    say(`${event} of the account ${account.id}, for ${deliveries.length} webhooks. Its id:`);
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
