/** A collector of a test's own: takes OTLP over HTTP in protobuf, as an OpenTelemetry collector does, and decodes it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** 2 for an error. */
  readonly status: number;
}

export interface OtlpReceiver {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** The names of the metrics that arrived. */
  readonly metrics: Set<string>;
  /** All bytes that arrived, as text. */
  readonly text: string;
  /** The spans above a span, the nearest first. */
  above(span: ReceivedSpan | undefined): ReceivedSpan[];
}

/** Starts a collector that ends with the test. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const metrics = new Set<string>();
  let text = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const message = Buffer.concat(chunks);
      text += message.toString('latin1');
      if (request.url === '/v1/traces') spans.push(...at(message, 1, 2, 2).map(spanOf));
      if (request.url === '/v1/metrics') for (const name of at(message, 1, 2, 2, 1)) metrics.add(name.toString());
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    metrics,
    get text() {
      return text;
    },
    above(span) {
      const way: ReceivedSpan[] = [];
      for (let each = span; each !== undefined; ) {
        const { parentSpanId } = each;
        each = spans.find(({ spanId }) => spanId === parentSpanId);
        if (each !== undefined) way.push(each);
      }
      return way;
    },
  };
}

// The numbers of fields are those of opentelemetry/proto/trace/v1/trace.proto and common.proto.

function spanOf(message: Buffer): ReceivedSpan {
  const text = (number: number, encoding: BufferEncoding = 'utf8') => at(message, number)[0]?.toString(encoding) ?? '';
  const [status = Buffer.alloc(0)] = at(message, 15);
  return {
    traceId: text(1, 'hex'),
    spanId: text(2, 'hex'),
    parentSpanId: text(4, 'hex'),
    name: text(5),
    kind: numberAt(message, 6),
    attributes: Object.fromEntries(at(message, 9).map(attributeOf)),
    status: numberAt(status, 3),
  };
}

function attributeOf(message: Buffer): [string, string | number | boolean] {
  const [key = '', value = Buffer.alloc(0)] = [at(message, 1)[0]?.toString(), at(message, 2)[0]];
  const [field] = fieldsOf(value);
  if (field === undefined) return [key, ''];
  if (field.number === 2) return [key, field.value === 1];
  return [key, typeof field.value === 'number' ? field.value : field.value.toString()];
}

/** The submessages, texts or bytes at a path of field numbers. */
function at(message: Buffer, ...path: readonly number[]): Buffer[] {
  const [first, ...rest] = path;
  if (first === undefined) return [message];
  return fieldsOf(message).flatMap(({ number, value }) =>
    number === first && typeof value !== 'number' ? at(value, ...rest) : [],
  );
}

const numberAt = (message: Buffer, wanted: number): number => {
  const value = fieldsOf(message).find(({ number }) => number === wanted)?.value;
  return typeof value === 'number' ? value : 0;
};

interface Field {
  readonly number: number;
  readonly value: number | Buffer;
}

/** https://protobuf.dev/programming-guides/encoding */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let place = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[place] ?? 0;
      place += 1;
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  const bytes = (length: number) => {
    place += length;
    return message.subarray(place - length, place);
  };
  while (place < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    if (tag % 8 === 0) fields.push({ number, value: varint() });
    else if (tag % 8 === 1) fields.push({ number, value: bytes(8).readDoubleLE() });
    else if (tag % 8 === 5) fields.push({ number, value: bytes(4).readUInt32LE() });
    else fields.push({ number, value: bytes(varint()) });
  }
  return fields;
}
