/**
 * The upstream of the benchmark. Its responses are serialized in advance and it reads of a request only its first line
 * and its end, over bare sockets: node:http would cost more than the gateways that are measured.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { page } from './page.ts';
import { photonetPosts } from './photonet-page.ts';

const response = (body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`),
    body,
  ]);

const pages = new Map<string, Buffer>();

/** The few posts of a nested list. They have authors of their own, as equal reads of a gateway may share a call. */
const fewPosts = page(5).toString();
const fewPostsOf = (list: string): Buffer =>
  response(Buffer.from(fewPosts.replaceAll('ACoAuthor', `ACoAuthor${list}-`)));

function pageFor(target: string): Buffer {
  const count = Number(/[?&]limit=(\d+)/.exec(target)?.[1] ?? 100);
  const isPhotonet = target.includes('/users/PHO');
  const list = /users\/ACo(\d+)\//.exec(target)?.[1];
  if (list !== undefined && count === 5) return fewPostsOf(list);
  const key = `${isPhotonet} ${count}`;
  const found = pages.get(key) ?? response(isPhotonet ? page(count, photonetPosts(count)) : page(count));
  pages.set(key, found);
  return found;
}

/** Edits of jobs. The name of the job is of no fixed length, so these are the only responses that are made. */
const edited = (target: string): Buffer =>
  response(
    Buffer.from(JSON.stringify({ object: 'PnetJobPostingEdited', job_id: /\/jobs\/(\w+)/.exec(target)?.[1] ?? '' })),
  );

const endOfHead = '\r\n\r\n';

function serve(socket: Socket): void {
  let received = '';
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    received += chunk;
    for (;;) {
      const end = received.indexOf(endOfHead);
      if (end < 0) return;
      const head = received.slice(0, end);
      const [method, target = ''] = head.slice(0, head.indexOf('\r\n')).split(' ');
      const length = method === 'GET' ? 0 : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      const next = end + endOfHead.length + length;
      if (received.length < next) return;
      received = received.slice(next);
      socket.write(method === 'GET' ? pageFor(target) : edited(target));
    }
  });
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
