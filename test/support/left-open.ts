/**
 * Fails a suite that leaves a database open. Suites share their modules: what such a database still executes would be
 * taken for statements of a later suite, which watches them.
 */
import { DefaultQueryExecutor, Kysely } from 'kysely';
import { afterAll } from 'vitest';

/** By adapter, which a database has of its own: where it was first used. */
const open = new Map<object, Error>();
const closed = new WeakSet<object>();

const { provideConnection } = DefaultQueryExecutor.prototype;
DefaultQueryExecutor.prototype.provideConnection = function (
  this: DefaultQueryExecutor,
  ...given: Parameters<typeof provideConnection>
) {
  const { adapter } = this;
  if (!open.has(adapter) && !closed.has(adapter)) open.set(adapter, new Error('A database was left open'));
  return provideConnection.apply(this, given) as never;
};

const { destroy } = Kysely.prototype;
Kysely.prototype.destroy = function (this: Kysely<unknown>) {
  const { adapter } = this.getExecutor();
  closed.add(adapter);
  open.delete(adapter);
  return destroy.call(this);
};

afterAll(() => {
  DefaultQueryExecutor.prototype.provideConnection = provideConnection;
  Kysely.prototype.destroy = destroy;
  const [left] = open.values();
  if (left !== undefined) throw left;
});
