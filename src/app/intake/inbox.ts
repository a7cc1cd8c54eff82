/** Stores events of the service, each once, with what they tell of accounts. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AccountStatus } from '../../auth/account.ts';
import { type LearnedAccount, learnAccounts } from '../../auth/account-repository.ts';
import { type DeliveryRateLimits, takeEvent, takeRoom } from '../../capabilities/deliveries/limits.ts';
import type { DeliveryEngine } from '../../delivery/engine.ts';
import type { WebhookEvent, WebhookSource } from '../../events/sources.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { day } from '../../kernel/lib/time-units.ts';
import type { Database } from '../../store/database.ts';
import { rowBytes } from '../../store/stored-bytes.ts';
import type { ReceivedEvent } from './payload.ts';

interface InboxContext {
  readonly database: Database;
  readonly delivery: Pick<DeliveryEngine, 'emit' | 'storedBytes'>;
  readonly limits: DeliveryRateLimits;
  readonly now: () => Date;
  readonly workspaceId: string;
}

export type Inbox = ReturnType<typeof createInbox>;

/** For so long, the same event again is a repetition. */
const repeatedMs = day;

const maxRemembered = 10_000;

/** Statuses that events of `account_status` tell. */
const statusOf: Readonly<Partial<Record<string, AccountStatus>>> = {
  creation_success: 'OK',
  creation_fail: 'ERROR',
  deleted: 'STOPPED',
  reconnected: 'OK',
  sync_success: 'OK',
  stopped: 'STOPPED',
  ok: 'OK',
  connecting: 'CONNECTING',
  error: 'ERROR',
  credentials: 'CREDENTIALS',
  permissions: 'PERMISSIONS',
};

const idempotencyKeyOf = (key: string) => `intake ${key}`;

/** A caller may have emitted an event of its own under the key, which must not keep out that of the service. */
function unlessTaken(error: unknown): null {
  if (error instanceof ServiceError && error.errorName === 'invalid_parameters') return null;
  throw error;
}

export function createInbox({ database, delivery, limits, now, workspaceId }: InboxContext) {
  /** What was told of an account last, but for its status: others may have stored a later one. */
  const told = new LRUCache<string, string>({ max: maxRemembered });

  async function learn(accounts: readonly LearnedAccount[]): Promise<void> {
    const news = accounts.filter(({ id, name, type, status }) => {
      const isKnown = status === undefined && told.get(id) === JSON.stringify([name, type]);
      return !isKnown;
    });
    if (news.length === 0) return;
    await learnAccounts(database, workspaceId, news, now());
    for (const { id, name, type } of news) told.set(id, JSON.stringify([name, type]));
  }

  return {
    /** What else tells of accounts. */
    learn,
    /**
     * Resolves once the event and its deliveries are stored, by this call or an earlier one.
     * @param messageId of the service, if it sends one: the same id is the same event
     * @throws ServiceError `service_unavailable` for what the service is to send again
     */
    async store(
      source: WebhookSource,
      event: WebhookEvent,
      { accountId, accountType, accountName, data }: ReceivedEvent,
      messageId?: string,
    ): Promise<string> {
      const text = JSON.stringify(data);
      await takeRoomFor(Buffer.byteLength(text) + rowBytes);
      // Hashed, as an index of Postgres has no room for a long id.
      let key = hash('sha256', JSON.stringify(messageId === undefined ? [event, accountId, text] : [event, messageId]));
      if (accountId !== null) {
        await learn([{ id: accountId, name: accountName, type: accountType }]);
      }
      const status = source === 'account_status' ? statusOf[event] : undefined;
      for (;;) {
        const emission = delivery.emit({
          workspaceId,
          accountId,
          accountType: accountType ?? null,
          source,
          event,
          data,
          idempotencyKey: idempotencyKeyOf(key),
          given: key,
        });
        const emitted = await emission.catch(unlessTaken);
        if (emitted === null) {
          key = hash('sha256', `${key} taken`);
          continue;
        }
        const isOld = messageId === undefined && now().getTime() - emitted.createdAt >= repeatedMs;
        if (!emitted.repeated) limits.deliveries.charge(workspaceId, emitted.deliveries.length);
        // A late repetition would bring a former status back. Without an id it may be a new event as well.
        const isNews = status !== undefined && (messageId === undefined || !emitted.repeated);
        if (isNews && accountId !== null) {
          await learn([{ id: accountId, name: accountName, type: accountType, status }]);
        }
        if (!emitted.repeated || !isOld) return emitted.eventId;
        // The same happened again: all processes find the same next key.
        key = hash('sha256', `${key} ${emitted.eventId}`);
      }
    },
  };

  /** A service that hears of a full workspace is to try again, whatever callers hear. */
  async function takeRoomFor(bytes: number): Promise<void> {
    try {
      await takeRoom(limits, delivery.storedBytes, workspaceId);
      await takeEvent(limits, workspaceId, bytes);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.errorName !== 'action_required') throw error;
      throw new ServiceError('service_unavailable', { detail: error.detail, cause: error });
    }
  }
}
