/**
 * Extra headers of deliveries. An owner may set any (contract, "Webhook"), also in place of a default such as
 * `Content-Type`. Refused are those that decide where a request goes or ends, or that prove that it is ours.
 */
import { z } from 'zod';
import { ownRule, shortText, text } from '../../kernel/validation.ts';

/** RFC 9110, 5.1 "Field Names". */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** RFC 9110, 5.5 "Field Values": no control characters, and only characters that are one byte in a header (Latin-1). */
const fieldValue = /^[\t\u0020-\u007e\u00a0-\u00ff]*$/;

const reserved: ReadonlySet<string> = new Set([
  // Where the request ends (RFC 9112, 6 and 7; RFC 9110, 10.1).
  ...['content-length', 'transfer-encoding', 'te', 'trailer', 'expect'],
  // The connection (RFC 9110, 7.6.1 and 7.8; RFC 9113, 3.2.1), and whom it is with.
  ...['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'http2-settings'],
  ...['host', 'proxy-authenticate', 'proxy-authorization'],
  // The signature (https://www.standardwebhooks.com).
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
]);

/** A header that must stay as it is, is `errors/invalid_parameters`. */
export const extraHeader = () =>
  z.strictObject({
    key: shortText()
      .refine((key) => token.test(key), ownRule('malformed', 'must be the name of an HTTP header'))
      .refine(
        (key) => !reserved.has(key.toLowerCase()),
        ownRule('not_allowed', 'must not be a header that frames, routes or signs deliveries'),
      )
      .meta({ minLength: 1, pattern: token.source }),
    value: text()
      .refine(
        (value) => fieldValue.test(value),
        ownRule('malformed', 'must have no line break, control character or character beyond Latin-1'),
      )
      .meta({ pattern: fieldValue.source }),
  });

/** In place of header values, for API keys without `webhooks:write`. */
export const hiddenValue = '********';
