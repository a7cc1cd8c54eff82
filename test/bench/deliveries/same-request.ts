/** Everybody is to send the same: the same headers in the same form, and the same body. */
import { payloadOf } from './payload.ts';

/** Values of headers that differ from request to request, and how they look. */
const signatureHeaders = {
  'webhook-id': /^[\w-]{22}$/,
  'webhook-timestamp': /^\d{10}$/,
  'webhook-signature': /^v1,[\w+/]{43}=$/,
} as const;

const fixedHeaders = { 'content-type': 'application/json', 'user-agent': 'Postern' } as const;

/** @throws Error for a request that is not what all others send */
export function requireSameRequest(request: string): void {
  const [head = '', body = ''] = request.split('\r\n\r\n');
  const headers = new Map(
    head
      .split('\r\n')
      .slice(1)
      .map((line): [string, string] => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
  );
  const wrong = [
    ...Object.entries(signatureHeaders).filter(([name, form]) => !form.test(headers.get(name) ?? '')),
    ...Object.entries(fixedHeaders).filter(([name, value]) => headers.get(name) !== value),
  ];
  const n = Number(/"n":"(\d+)"/.exec(body)?.[1]);
  if (wrong.length > 0 || body !== payloadOf(n)) throw new Error(`Another request than the others':\n${request}`);
}
