/** A sender's side: the process answers the bench's calls over the channel of `fork`. */

/** How a sender is started: as JSON in its first argument. */
export interface Order {
  /** A producer fills the queue and lets it go. A worker sends. */
  readonly role: 'producer' | 'worker';
  /** The URL of the database or queue. */
  readonly place: string;
  /** The receivers; each gets the same share of the deliveries. */
  readonly urls: readonly string[];
  /** Requests at once. */
  readonly concurrency: number;
  /** Of a sender that has several. */
  readonly mode: string | null;
}

type Awaitable<Value> = Value | Promise<Value>;

export interface Sender {
  /** Stores `count` deliveries, none of which is due. Of a producer. */
  fill(count: number): Awaitable<void>;
  /** Makes them due. @returns epoch milliseconds of that moment. Of a producer. */
  release(): Awaitable<number>;
  /** Deliveries are due; `count` is the share of this worker where nobody else hands them out. */
  wake(count: number): Awaitable<void>;
  /** Resolves when nothing is due or in flight, and every outcome is stored. */
  settled(): Awaitable<void>;
  /** Emits one event for the first receiver. Of a worker. */
  emit(n: number): Awaitable<unknown>;
  /** CPU time of the database server in microseconds, if it tells its clients. */
  serverCpu?(): Awaitable<number>;
  /** What survives a crash of the database server. */
  durability?(): Awaitable<string>;
  /** Removes what the bench has stored, where that is not a database of its own. */
  remove?(): Awaitable<void>;
}

/** A call of the bench; the answer is a message `{ value }`. */
export type Call =
  | { readonly method: Exclude<keyof Sender, 'emit'>; readonly count?: number }
  | { readonly method: 'emitAll'; readonly from: number; readonly count: number; readonly everyMs: number }
  | { readonly method: 'emitMany'; readonly from: number; readonly count: number };

/** Events that a worker is emitting at any moment, as a busy producer does. */
const emittedAtOnce = 16;

export const orderOf = ([, , text = '']: readonly string[]): Order => JSON.parse(text);

/** Serves the calls until the bench disconnects. An error of a call ends the process. */
export function serve(sender: Sender): void {
  process.on('message', async (call: Call) => process.send?.({ value: (await answer(sender, call)) ?? null }));
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

function answer(sender: Sender, call: Call): Awaitable<unknown> {
  switch (call.method) {
    case 'emitAll':
      return emitAll(sender, call);
    case 'emitMany':
      return emitMany(sender, call);
    case 'fill':
    case 'wake':
      return sender[call.method](call.count ?? 0);
    default:
      return sender[call.method]?.();
  }
}

/** Emits an event every few milliseconds, whatever becomes of those before. @returns their times in epoch milliseconds */
async function emitAll(
  sender: Sender,
  { from, count, everyMs }: Extract<Call, { readonly method: 'emitAll' }>,
): Promise<number[]> {
  const times: number[] = [];
  const emitted: Awaitable<unknown>[] = [];
  const started = performance.now();
  for (let n = 0; n < count; n += 1) {
    const wait = started + n * everyMs - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
    times.push(performance.timeOrigin + performance.now());
    emitted.push(sender.emit(from + n));
  }
  await Promise.all(emitted);
  return times;
}

/** Emits events as fast as they are stored. */
async function emitMany(
  sender: Sender,
  { from, count }: Extract<Call, { readonly method: 'emitMany' }>,
): Promise<void> {
  let n = from;
  const emitNext = async (): Promise<void> => {
    while (n < from + count) {
      n += 1;
      await sender.emit(n);
    }
  };
  await Promise.all(Array.from({ length: emittedAtOnce }, emitNext));
}
