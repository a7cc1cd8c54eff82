/** Extra headers that a webhook may add to its deliveries: none that could break the request or pass for our own. */
import { z } from 'zod';
import { shortText, text } from '../validation.ts';

/** RFC 9110, "Field Names". */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** RFC 9110, "Field Values": no control character, and nothing that has no single byte in a header. */
const fieldValue = /^[\t\u0020-\u007e\u00a0-\u00ff]*$/;

/** What frames the request, speaks for the connection, or belongs to the signature. */
const reserved =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|http2-settings|content-.*|proxy-.*|webhook-.*)$/i;

export const extraHeader = () =>
  z.strictObject({
    key: shortText()
      .min(1, 'must not be empty')
      .regex(token, 'must be the name of an HTTP header')
      .refine((key) => !reserved.test(key), 'is a header that deliveries set themselves'),
    value: text().regex(fieldValue, 'must have no line break, control character or character beyond Latin-1'),
  });

/** What keys without `webhooks:write` are shown in place of the value of a header. */
export const hiddenValue = '********';
