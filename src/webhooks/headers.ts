/** Extra headers of a webhook's deliveries. None may corrupt the request or replace a header that deliveries set. */
import { z } from 'zod';
import { shortText, text } from '../validation.ts';

/** RFC 9110, 5.1 "Field Names". */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** RFC 9110, 5.5 "Field Values": no control characters, and only characters that are one byte in a header (Latin-1). */
const fieldValue = /^[\t\u0020-\u007e\u00a0-\u00ff]*$/;

/** Headers that frame the request, control the connection, or carry the signature. */
const reserved =
  /^(?:host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|http2-settings|content-.*|proxy-.*|webhook-.*)$/i;

/** An extra header; one that deliveries set themselves is `errors/invalid_parameters`. */
export const extraHeader = () =>
  z.strictObject({
    key: shortText()
      .min(1, 'must not be empty')
      .regex(token, 'must be the name of an HTTP header')
      .refine((key) => !reserved.test(key), 'must not be a header that deliveries set themselves'),
    value: text().regex(fieldValue, 'must have no line break, control character or character beyond Latin-1'),
  });

/** Replaces header values for API keys without `webhooks:write`. */
export const hiddenValue = '********';
