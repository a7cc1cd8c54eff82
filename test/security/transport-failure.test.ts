import { describe, expect, test } from 'vitest';
import { failedBeforeSending, failureReasonOf } from '../../src/net/transport-failure.ts';

const error = (properties: object): Error => Object.assign(new Error('failed'), properties);
const refused = error({ code: 'ECONNREFUSED', syscall: 'connect' });
const lost = error({ code: 'ECONNRESET', syscall: 'read' });

describe('the reason of a failure', () => {
  test.each([
    ['address_refused', { code: 'ADDRESS_REFUSED' }],
    ['name_not_found', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
    ['connection_failed', { code: 'ECONNREFUSED', syscall: 'connect' }],
    ['connection_failed', new AggregateError([refused, refused])],
    ['connection_failed', {}],
    ['connection_failed', 'no error'],
    ['connection_failed', null],
    ['connection_lost', { code: 'UND_ERR_SOCKET' }],
    ['connection_lost', { code: 'ECONNRESET' }],
    ['timeout', { code: 'UND_ERR_CONNECT_TIMEOUT' }],
    ['tls_failed', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
    ['tls_failed', { code: 'CERT_HAS_EXPIRED' }],
    ['tls_failed', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
    ['tls_failed', { code: 'HOSTNAME_MISMATCH' }],
    ['tls_failed', { code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' }],
    ['invalid_response', { name: 'HTTPParserError', code: 'HPE_INVALID_CONSTANT' }],
    ['invalid_response', { code: 'UND_ERR_HEADERS_OVERFLOW' }],
  ])('is %s for %o', (reason, thrown) => {
    expect(failureReasonOf(thrown)).toBe(reason);
  });
});

describe('a request', () => {
  test.each([
    { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
    { code: 'ECONNREFUSED', syscall: 'connect' },
    { code: 'ETIMEDOUT', syscall: 'connect' },
    { code: 'UND_ERR_CONNECT_TIMEOUT' },
    { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    { code: 'ERR_TLS_HANDSHAKE_TIMEOUT' },
    { code: 'ERR_SSL_WRONG_VERSION_NUMBER' },
    new AggregateError([refused, refused]),
  ])('was certainly not sent after %o', (thrown) => {
    expect(failedBeforeSending(thrown)).toBe(true);
  });

  test.each([
    lost,
    { code: 'ETIMEDOUT', syscall: 'read' },
    { code: 'UND_ERR_SOCKET' },
    { code: 'EPIPE', syscall: 'write' },
    // A record that breaks after the handshake, and a session that is renegotiated.
    { code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' },
    { code: 'ERR_TLS_SESSION_ATTACK' },
    new AggregateError([refused, lost]),
    new Error('unknown'),
    null,
  ])('may have been sent after %o', (thrown) => {
    expect(failedBeforeSending(thrown)).toBe(false);
  });
});
