/**
 * Fails a suite that leaves a database open. Suites share their modules: what such a database still executes would be
 * taken for statements of a later suite, which watches them.
 */
import { DefaultQueryExecutor, Kysely } from 'kysely';
import { afterAll } from 'vitest';

interface Watched {
  /** By adapter, which a database has of its own: where it was first used. */
  readonly open: Map<object, Error>;
  readonly closed: WeakSet<object>;
}

declare global {
  /** This module is evaluated for each suite, the patched ones are not. */
  var databasesOfSuites: Watched | undefined;
}

function watch(): Watched {
  const watched: Watched = { open: new Map(), closed: new WeakSet() };
  const { provideConnection } = DefaultQueryExecutor.prototype;
  DefaultQueryExecutor.prototype.provideConnection = function (
    this: DefaultQueryExecutor,
    ...given: Parameters<typeof provideConnection>
  ) {
    const { adapter } = this;
    if (!watched.open.has(adapter) && !watched.closed.has(adapter)) {
      watched.open.set(adapter, new Error('A database was left open'));
    }
    return provideConnection.apply(this, given) as never;
  };
  const { destroy } = Kysely.prototype;
  Kysely.prototype.destroy = function (this: Kysely<unknown>) {
    const { adapter } = this.getExecutor();
    watched.closed.add(adapter);
    watched.open.delete(adapter);
    return destroy.call(this);
  };
  return watched;
}

globalThis.databasesOfSuites ??= watch();
const { open } = globalThis.databasesOfSuites;
const before = new Set(open.keys());

afterAll(() => {
  for (const [adapter, left] of open) {
    if (!before.has(adapter)) throw left;
  }
});
