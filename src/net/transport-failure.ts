/** Classifies errors of DNS, sockets, TLS and undici. */

export type FailureReason =
  | 'address_refused'
  | 'name_not_found'
  | 'connection_failed'
  | 'connection_lost'
  | 'tls_failed'
  | 'timeout'
  | 'invalid_response';

const reasons: Readonly<Record<string, FailureReason>> = {
  ADDRESS_REFUSED: 'address_refused',
  RESPONSE_TOO_LARGE: 'invalid_response',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  EAI_FAIL: 'name_not_found',
  ENODATA: 'name_not_found',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  PROXY_FAILED: 'connection_failed',
  ETIMEDOUT: 'connection_failed',
  ECONNREFUSED: 'connection_failed',
  EHOSTUNREACH: 'connection_failed',
  ENETUNREACH: 'connection_failed',
  UND_ERR_SOCKET: 'connection_lost',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
};

/** Prefixes of codes that end a TLS handshake: OpenSSL's verification, and node:tls. */
const handshakeCodes: readonly string[] = [
  'CERT_',
  'DEPTH_ZERO_',
  'SELF_SIGNED_',
  'UNABLE_TO_',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
  'ERR_SSL_WRONG_VERSION_NUMBER',
];
const endsHandshake = (code: string): boolean => handshakeCodes.some((start) => code.startsWith(start));

/** Other codes of TLS, which a broken record may cause after the handshake. */
const tlsCode = /^ERR_(?:TLS|SSL)_/;

/** An unknown error counts as `connection_failed`. */
export function failureReasonOf(error: unknown): FailureReason {
  const { name, code, errors } = propertiesOf(error);
  const known = reasons[code];
  if (known !== undefined) return known;
  // Several addresses were tried in vain.
  if (errors.length > 0) return failureReasonOf(errors[0]);
  if (name === 'HTTPParserError') return 'invalid_response';
  if (endsHandshake(code) || tlsCode.test(code)) return 'tls_failed';
  return code.startsWith('UND_ERR') ? 'invalid_response' : 'connection_failed';
}

const beforeSending: ReadonlySet<string> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'PROXY_FAILED']);

/** Whether the request was certainly not sent: name lookup, connection and TLS handshake come before its first byte. */
export function failedBeforeSending(error: unknown): boolean {
  const { code, syscall, errors } = propertiesOf(error);
  // Of several addresses, each must have failed before.
  if (errors.length > 0) return errors.every(failedBeforeSending);
  return syscall === 'connect' || syscall === 'getaddrinfo' || beforeSending.has(code) || endsHandshake(code);
}

/** Null if the connection failed instead. @param error as undici reports it */
export function unreadableResponse(error: unknown): 'too_large' | 'not_http' | null {
  const { name, code } = propertiesOf(error);
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'too_large';
  return name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW' ? 'not_http' : null;
}

interface ErrorProperties {
  readonly name: string;
  readonly code: string;
  readonly syscall: string;
  readonly errors: readonly unknown[];
}

/** Anything can be thrown: a missing property counts as empty. */
function propertiesOf(error: unknown): ErrorProperties {
  const property = (name: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  const text = (name: string): string => String(property(name) ?? '');
  const errors = property('errors');
  return {
    name: text('name'),
    code: text('code'),
    syscall: text('syscall'),
    errors: Array.isArray(errors) ? errors : [],
  };
}
