import { startDelivering } from '/work/wt/j7/test/support/deliveries.ts';
import { databases } from '/work/wt/j7/test/support/databases.ts';
import http from 'node:http';
import { fork } from 'node:child_process';
const N = Number(process.argv[3] ?? 1000);
if (process.argv[2] === 'client') {
  const { address, key } = JSON.parse(process.argv[4]!);
  const agent = new http.Agent({ maxSockets: Infinity });
  let got = 0, open = 0; const u = new URL(address);
  const body = JSON.stringify({ query: 'subscription { deliveryUpdated { deliveryId state attemptCount data webhook { name requestUrl } attempts { nodes { number status } } } }' });
  for (let i = 0; i < N; i++) {
    const r = http.request({ agent, host: u.hostname, port: u.port, path: '/graphql', method: 'POST', headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key } }, (res) => {
      if (res.statusCode !== 200) console.log('status', res.statusCode); open++; if (open === N) process.send!('open');
      res.on('data', (d) => { if (String(d).includes('deliveryId')) { got++; if (got === N) process.send!('got'); } });
    }); r.end(body);
  }
} else {
  const g = await startDelivering({ dialect: databases[0]!, delivery: { limits: { slots: 0 } }, environment: { STREAMS_PER_KEY: '2000', STREAMS_PER_PROCESS: '2000' } });
  await g.webhook('https://hooks.example/');
  const child = fork(process.argv[1]!, ['client', String(N), JSON.stringify({ address: g.address, key: g.space.key })]);
  const wait = (m: string) => new Promise<void>((ok) => child.on('message', (x) => x === m && ok()));
  await wait('open');
  const got = wait('got');
  let max = 0, last = performance.now();
  const t = setInterval(() => { const n = performance.now(); max = Math.max(max, n - last); last = n; }, 1);
  await new Promise((r) => setTimeout(r, 500)); const idle = max; max = 0;
  const t0 = performance.now(); await g.emit('x'); await got;
  console.log({ N, idleMaxGapMs: idle, maxGapMs: max, allToldMs: performance.now() - t0 });
  clearInterval(t); child.kill(); await g.close();
}
