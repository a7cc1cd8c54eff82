/** Shorter values say nothing, such as those of flags, and would stand in ordinary text. */
const minSecretLength = 8;
/** In data, which must not change where an ordinary word is the value of a header. */
const minLengthInData = 16;

const replacement = '[redacted]';

/**
 * Takes what the gateway has sent as a secret out of what comes back: a service or a destination may echo it.
 * @param secrets values of headers, say: of `Bearer x` the credential alone counts too
 * @returns replaces each secret, plain, in JSON, HTML and base64, percent-encoded, in upper or lower case, and the beginning of one that the text breaks off in
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = formsOf(secrets, minSecretLength);
  if (forms.length === 0) return (text) => text;
  return (text) => {
    let shown = text;
    for (const form of forms) shown = withoutBeginning(shown.replaceAll(form, replacement), form);
    return shown;
  };
}

/** As {@link redactor}, of data: secrets of 16 characters and more. @returns the chunks as they are, where none has a secret */
export function dataRedactor(secrets: readonly string[]): (chunks: readonly Uint8Array[]) => readonly Uint8Array[] {
  const forms = formsOf(secrets, minLengthInData).map((form) => Buffer.from(form));
  const seam = Math.max(0, ...forms.map(({ length }) => length - 1));
  const has = (bytes: Buffer) => forms.some((form) => bytes.includes(form));
  return (chunks) => {
    let before: Buffer = Buffer.alloc(0);
    const found = chunks.some(({ buffer, byteOffset, byteLength }) => {
      const chunk = Buffer.from(buffer, byteOffset, byteLength);
      if (has(chunk) || (before.length > 0 && has(Buffer.concat([before, chunk.subarray(0, seam)])))) return true;
      before = (chunk.length < seam ? Buffer.concat([before, chunk]) : chunk).subarray(-seam);
      return false;
    });
    if (!found) return chunks;
    // One character for each byte: what is no UTF-8 stays as it is.
    let text = Buffer.concat(chunks).toString('latin1');
    for (const form of forms) text = text.replaceAll(form.toString('latin1'), replacement);
    return [Buffer.from(text, 'latin1')];
  };
}

/** The longest first. */
const formsOf = (secrets: readonly string[], minLength: number): string[] =>
  secrets
    .flatMap((secret) => [secret, /^[\w-]+ (\S+)$/.exec(secret)?.[1] ?? ''])
    .filter(({ length }) => length >= minLength)
    .flatMap((secret) => {
      const json = inJson(secret);
      // Some writers of JSON escape the slash. An echo of JSON may be a text in other JSON. Pages of errors are HTML.
      return [
        ...[secret, json, json.replaceAll('/', '\\/'), inJson(json), encodeURIComponent(secret.toWellFormed())],
        ...[inHtml(secret), secret.toUpperCase(), secret.toLowerCase()],
        ...(['base64', 'base64url'] as const).map((encoding) => Buffer.from(secret).toString(encoding)),
      ];
    })
    .filter((form, place, all) => all.indexOf(form) === place)
    .sort((one, other) => other.length - one.length);

const htmlEntities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const inHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => htmlEntities[character] ?? character);

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

function withoutBeginning(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= minSecretLength; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + replacement;
  }
  return text;
}
