/** Closes in reverse order. One that fails leaves none of the others open. */
export async function closeAll(closers: (() => unknown)[]): Promise<void> {
  const close = closers.pop();
  if (close === undefined) return;
  try {
    await close();
  } finally {
    await closeAll(closers);
  }
}
