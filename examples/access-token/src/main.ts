/** The accounts of the workspace, their status and their messages, from the gateway itself. */
import { createClient } from 'graphql-ws';
import {
  createAccessTokens,
  createNotes,
  createRetry,
  createStreams,
  readResult,
  sendOperation,
  steadyFetch,
} from 'postern/client';

interface Account {
  readonly accountId: string;
  /** Null until the service behind the gateway has told it. */
  readonly name: string | null;
  readonly status: string;
}

/** An event: the gateway keeps it for some days. */
interface Message {
  readonly id: string;
  readonly createdAt: string;
  readonly account: Pick<Account, 'accountId' | 'name'> | null;
  readonly data: { readonly message?: string; readonly sender?: { readonly name?: string } };
}

interface Read {
  readonly accounts: { readonly nodes: readonly Account[] } | null;
  readonly events: { readonly nodes: readonly Message[] } | null;
}

const troubles = createNotes<string>();
const waits = (what: string) => (isWaiting: boolean) =>
  troubles.set(what, isWaiting ? ['The gateway cannot be reached. The page tries again by itself.'] : []);

// #region gateway
const url = `${import.meta.env.GATEWAY}/graphql`;
const tokens = createAccessTokens('/access-token');
const send = steadyFetch({ fetch: tokens.fetch, onWaiting: waits('requests') });
const streams = createStreams({
  createClient,
  url: url.replace('http', 'ws'),
  connectionParams: async () => ({ authorization: `Bearer ${await tokens.renew()}` }),
  onWaiting: waits('stream'),
  onRefused: (reason) => troubles.set('refused', reason === null ? [] : [reason]),
});
// #endregion

const place = (id: string) => document.getElementById(id) as HTMLElement;
const rows = new Map<string, HTMLElement>();

function show({ accountId, name, status }: Account): void {
  const row = rows.get(accountId) ?? place('accounts').appendChild(document.createElement('li'));
  rows.set(accountId, row);
  row.textContent = `${name ?? accountId}: ${status}`;
}

// #region messages
/** Of the newest message. */
let since: string | null = null;
const shown = new Set<string>();

/** A message may come twice: of those that are read, and live. */
function showMessage({ id, createdAt, account, data: { message, sender } }: Message): void {
  if (shown.has(id)) return;
  shown.add(id);
  if (since === null || createdAt > since) since = createdAt;
  const item = document.createElement('li');
  item.textContent = `${sender?.name ?? 'Somebody'} to ${account?.name ?? account?.accountId ?? 'an account'}: ${message ?? ''}`;
  place('messages').prepend(item);
  // Of a service behind the gateway, the first message may be the first that is heard of an account.
  if (account !== null && !rows.has(account.accountId)) void read();
}

function followMessages(): void {
  // There is none: a minute covers what the clocks differ by.
  since ??= new Date(Date.now() - 60_000).toISOString();
  streams.subscribe<{ readonly eventReceived: Message }>(
    {
      query: `subscription Messages($since: DateTime) {
        eventReceived(events: MESSAGE_RECEIVED, since: $since) { id createdAt account { accountId name } data }
      }`,
      // Read again with each connection: it begins with what came in between.
      variables: {
        get since() {
          return since;
        },
      },
    },
    {
      next: ({ data }) => data && showMessage(data.eventReceived),
      error: (reason) => troubles.set('messages', [`There are no live messages. ${JSON.stringify(reason)}`]),
      complete: () => undefined,
    },
  );
}
// #endregion

let leaveStatuses = () => {};

/** It is told which accounts to follow. */
function followStatuses(): void {
  leaveStatuses();
  const query = `subscription Statuses($accountIds: [ID!]!) {
    accountUpdated(accountIds: $accountIds) { accountId name status }
  }`;
  leaveStatuses = streams.subscribe<{ readonly accountUpdated: Account }>(
    { query, variables: { accountIds: [...rows.keys()] } },
    {
      next: ({ data }) => data && show(data.accountUpdated),
      error: (reason) => troubles.set('stream', [`There are no live updates. ${JSON.stringify(reason)}`]),
      complete: () => undefined,
    },
  );
}

/** Returns whether the accounts and messages could be read. */
async function read(): Promise<boolean> {
  const query = `query Accounts {
    accounts(first: 100) { nodes { accountId name status } }
    events(first: 20, events: MESSAGE_RECEIVED) { nodes { id createdAt account { accountId name } data } }
  }`;
  try {
    const { data, errors } = await readResult<Read>(await sendOperation(url, { query }, { fetch: send }));
    if (!data?.accounts || !data.events) throw new Error(errors?.[0]?.message);
    const known = rows.size;
    for (const account of data.accounts.nodes) show(account);
    if (rows.size > known) followStatuses();
    for (const each of data.events.nodes.toReversed()) showMessage(each);
    troubles.set('read', []);
    return true;
  } catch (error) {
    troubles.set('read', [`The accounts could not be read. ${error instanceof Error ? error.message : error}`]);
    return false;
  }
}

troubles.subscribe(() => {
  place('trouble').textContent = [...new Set(troubles.all())].join(' ');
});
place('read').addEventListener('click', () => void read());
streams.on('connected', () => {
  place('live').textContent = 'Live';
  // What happened while there was no connection.
  void read();
});
streams.on('closed', () => {
  place('live').textContent = 'Not live';
});

const retry = createRetry();
for (let failed = 0; !(await read()); failed += 1) await retry.wait(failed);
followMessages();
