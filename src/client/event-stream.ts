/** Milliseconds: the gateway sends something every 12 seconds. A laptop that slept is never told that its connection is gone. */
const silentMs = 30_000;

/**
 * The results of a subscription, as they arrive. The gateway sends each as a server-sent event whose data is JSON in one line.
 * @param body of a response of the type `text/event-stream`
 * @throws Error when the connection breaks, ends before the subscription does, or nothing comes over it for 30 seconds
 */
export function eventStream<Result>(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Result> {
  const results = resultsIn<Result>(body);
  const end = results.return.bind(results);
  results.return = (value) => {
    // A generator that has not begun leaves its body as it is.
    if (!body.locked) body.cancel().catch(() => {});
    return end(value);
  };
  return results;
}

async function* resultsIn<Result>(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Result> {
  // By a reader, because not every browser can iterate over a stream.
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  /** What has come of an event: joined when it is whole, as a large one comes in hundreds. */
  let pieces: string[] = [];
  try {
    for (;;) {
      const { value, done } = await unlessSilent(reader.read());
      if (done) throw new Error('The connection has ended before the subscription.');
      const isEnd = value.includes('\n\n') || (value.startsWith('\n') && pieces.at(-1)?.endsWith('\n'));
      pieces.push(value);
      if (!isEnd) continue;
      const events = pieces.join('').split('\n\n');
      pieces = [events.pop() ?? ''];
      for (const event of events) {
        if (event.startsWith('event: complete')) return;
        const data = event.match(/^data: ?(.*)$/m)?.[1];
        if (data) yield JSON.parse(data);
      }
    }
  } finally {
    // Whoever reads no further closes the connection. A stream that has failed is closed.
    reader.cancel().catch(() => {});
  }
}

function unlessSilent<Value>(read: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('The connection is lost: the gateway was silent for half a minute.'));
    const timer = setTimeout(giveUp, silentMs);
    read.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
