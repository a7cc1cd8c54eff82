/** A process writes to a file of SQLite in turn, and nobody waits for the turn without end. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { busyMs } from '../../src/store/database-file.ts';
import { lockForWriting } from '../../src/store/sqlite-threads.ts';

test('a write that waited as long for others as for another process is refused, and the next one goes on', async () => {
  const release = await lockForWriting('a file');
  const waiting = lockForWriting('a file');
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + busyMs);
  onTestFinished(() => clock.mockRestore());
  release();
  await expect(waiting).rejects.toMatchObject({ reason: 'slow', type: 'errors/service_unavailable' });
  (await lockForWriting('a file'))();
});
