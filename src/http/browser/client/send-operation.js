export function sendOperation(url, operation, options = {}) {
  const { fetch: send = fetch, ...init } = options;
  const headers = new Headers(init.headers);
  headers.set('content-type', 'application/json');
  if (!headers.has('accept')) headers.set('accept', 'application/graphql-response+json, application/json');
  const plain = Object.fromEntries(headers);
  return send(url, { ...init, method: 'POST', headers: plain, body: JSON.stringify(operation) });
}
export async function readResult(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    const { status, headers } = response;
    throw new Error(`The response with status ${status} is not JSON, but ${headers.get('content-type')}.`);
  }
}
