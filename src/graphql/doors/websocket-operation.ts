/** A request in a message, with its response in others. */
import type { Logger } from 'pino';
import type { RequestFacts } from '../../http/incoming-request.ts';
import { type ObservedRequest, socketMethod } from '../../http/observed-requests.ts';
import type { RequestHeaders } from '../../http/request-head.ts';
import type { SocketConnection } from '../../http/web-socket.ts';
import type { OperationRequest } from '../exchange.ts';

/** The connection's part of an operation's id. */
const maxOpeningId = 52;

export class SocketOperation implements OperationRequest, ObservedRequest {
  readonly id: string;
  readonly method = socketMethod;
  readonly url: string;
  readonly path: string;
  readonly route: string;
  readonly httpVersion: string;
  readonly headers: RequestHeaders;
  readonly ip: string;
  readonly facts: RequestFacts = {};
  readonly sentStatus = undefined;
  readonly log: Logger;
  readonly #payload: object;
  readonly #startedAt = performance.now();
  readonly #aborted = new AbortController();
  readonly #whenClosed: (() => void)[] = [];
  #end: 'finished' | 'aborted' | null = null;
  #unread = 0;

  /** @param place of the operation on its connection. @param headers some replaced at the beginning */
  constructor(
    { opening, route }: Pick<SocketConnection, 'opening' | 'route'>,
    place: number,
    headers: RequestHeaders,
    payload: object,
  ) {
    this.id = `${opening.id.slice(0, maxOpeningId)}.${place}`;
    this.url = opening.path;
    this.path = opening.path;
    this.route = route;
    this.httpVersion = opening.httpVersion;
    this.headers = headers;
    this.ip = opening.ip;
    this.log = opening.log.child({ reqId: this.id });
    this.#payload = payload;
  }

  get elapsedTime(): number {
    return performance.now() - this.#startedAt;
  }

  get clientAborted(): AbortSignal {
    return this.#aborted.signal;
  }

  get isFinished(): boolean {
    return this.#end === 'finished';
  }

  get isOver(): boolean {
    return this.#end !== null;
  }

  get unread(): number {
    return this.#unread;
  }

  json(): unknown {
    return this.#payload;
  }

  /** Messages have no headers. */
  addHeaders(): void {}

  whenClosed(callback: () => void): void {
    if (this.isOver) callback();
    else this.#whenClosed.push(callback);
  }

  async sending(bytes: number, sent: Promise<boolean>): Promise<void> {
    this.#unread += bytes;
    const isSent = await sent;
    this.#unread -= bytes;
    if (!isSent) this.close('aborted');
  }

  /** Once. @param how `finished` with the whole response at its client, or `aborted` by it */
  close(how: 'finished' | 'aborted'): void {
    if (this.isOver) return;
    this.#end = how;
    if (how === 'aborted') this.#aborted.abort(new DOMException('The client disconnected', 'AbortError'));
    for (const callback of this.#whenClosed) callback();
  }
}
