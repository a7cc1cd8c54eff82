const silentMs = 30_000;
export function eventStream(body) {
  const results = resultsIn(body);
  const end = results.return.bind(results);
  results.return = (value) => {
    if (!body.locked) body.cancel().catch(() => {});
    return end(value);
  };
  return results;
}
async function* resultsIn(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let pieces = [];
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
    reader.cancel().catch(() => {});
  }
}
function unlessSilent(read) {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('The connection is lost: the gateway was silent for half a minute.'));
    const timer = setTimeout(giveUp, silentMs);
    read.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
