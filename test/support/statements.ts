import { DefaultQueryExecutor } from 'kysely';
import { vi } from 'vitest';

/** The statements about a workspace, of those that `work` executes. What the gateway does by itself is about none but the bytes of its events. */
export async function statementsOf(workspaceId: string, work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  const { executeQuery } = DefaultQueryExecutor.prototype;
  const spy = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery').mockImplementation(function (
    this: DefaultQueryExecutor,
    query,
    ...rest
  ) {
    const isOwn = query.sql.includes('stored_bytes');
    if (!isOwn && query.parameters.includes(workspaceId)) seen.push(query.sql);
    return executeQuery.call(this, query, ...rest) as never;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return seen;
}
