const replacement = '[redacted]';

/** An API key or an access token, from any gateway: clients put them into paths by mistake. */
const credential = /(?:postern(?:_|%5f)|eyJ[\w-]{8,256}(?:\.|%2e))[\w.%-]+/gi;

/** For a path in the log and in traces. */
export const withoutCredentials = (path: string): string =>
  path.search(credential) === -1 ? path : path.replaceAll(credential, replacement);

/** Shorter values, such as flags, stand in ordinary text: only beside a credential's name are they replaced. */
const minSecretLength = 8;
/** In data, where an ordinary word as a header's value must change nothing. */
const minLengthInData = 16;

/**
 * Takes secrets out of text that a service echoes or an error tells: plain, in JSON, HTML and base64, percent-encoded,
 * in either case, and cut off at the end; of `Bearer x` and `Basic x` the credential alone, too. Short ones and
 * ordinary words, such as the password `postgres`, only beside a credential's name.
 * @param names of further fields with credentials, such as headers
 */
export function redactor(secrets: readonly string[], names: readonly string[] = []): (text: string) => string {
  const all = secrets.flatMap(withCredential);
  const forms = formsOf(all.filter(isTelling));
  const words = all.filter((secret) => secret !== '' && !isTelling(secret)).flatMap(plainForms);
  if (forms.length === 0 && words.length === 0) return (text) => text;
  let credential: RegExp | undefined;
  return (text) => {
    let shown = text;
    for (const form of forms) shown = withoutBeginning(shown.replaceAll(form, replacement), form);
    if (!words.some((word) => shown.includes(word))) return shown;
    credential ??= credentialPattern(words, names);
    return shown.replaceAll(credential, `$1${replacement}`);
  };
}

/** {@link redactor} for data: secrets of 16 characters and more. @returns the same chunks where none has a secret */
export function dataRedactor(secrets: readonly string[]): (chunks: readonly Uint8Array[]) => readonly Uint8Array[] {
  const long = secrets.flatMap(withCredential).filter(({ length }) => length >= minLengthInData);
  const forms = formsOf(long).map((form) => Buffer.from(form));
  const seam = Math.max(0, ...forms.map(({ length }) => length - 1));
  const has = (bytes: Buffer) => forms.some((form) => bytes.includes(form));
  const isFoundIn = (chunks: readonly Uint8Array[]): boolean => {
    let before: Buffer | null = null;
    for (const { buffer, byteOffset, byteLength } of chunks) {
      const chunk = Buffer.from(buffer, byteOffset, byteLength);
      if (has(chunk) || (before !== null && has(Buffer.concat([before, chunk.subarray(0, seam)])))) return true;
      if (chunks.length > 1)
        before = (before !== null && chunk.length < seam ? Buffer.concat([before, chunk]) : chunk).subarray(-seam);
    }
    return false;
  };
  return (chunks) => {
    if (forms.length === 0 || !isFoundIn(chunks)) return chunks;
    // One character per byte: invalid UTF-8 stays as it is.
    let text = Buffer.concat(chunks).toString('latin1');
    for (const form of forms) text = text.replaceAll(form.toString('latin1'), replacement);
    return [Buffer.from(text, 'latin1')];
  };
}

/** RFC 7617: a service that decodes user and password may echo either. */
function withCredential(secret: string): string[] {
  const [, scheme = '', credential = ''] = /^([\w-]+) (\S+)$/.exec(secret) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [secret, credential];
  const [pair = '', password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(credential, 'base64').toString()) ?? [];
  return [secret, credential, pair, password];
}

/** Whether a text with it can hardly mean anything else. */
const isTelling = (secret: string): boolean => secret.length >= minSecretLength && !/^[a-z]{1,15}$/i.test(secret);

/** The longest first. */
const formsOf = (secrets: readonly string[]): string[] =>
  secrets
    .flatMap((secret) => {
      const json = inJson(secret);
      // Some writers of JSON escape slashes, JSON may be a text in JSON, and error pages are HTML.
      return [
        ...[...plainForms(secret), json.replaceAll('/', '\\/'), inJson(json)],
        ...[inHtml(secret), secret.toUpperCase(), secret.toLowerCase()],
        ...(['base64', 'base64url'] as const).map((encoding) => Buffer.from(secret).toString(encoding)),
      ];
    })
    .filter((form, place, all) => all.indexOf(form) === place)
    .sort((one, other) => other.length - one.length);

const plainForms = (secret: string): string[] => [secret, inJson(secret), encodeURIComponent(secret.toWellFormed())];

/** Ends of names: `x-auth-token`, `PGPASSWORD`. */
const credentialNames = 'pass|password|passwd|passphrase|pwd|secret|token|api[-_]?key|authorization|credentials?';

/** One of the words behind `scheme://user:` or a field's name, which is the first group. */
const credentialPattern = (words: readonly string[], names: readonly string[]): RegExp => {
  const fields = [credentialNames, ...names.map(escaped)].join('|');
  const place = `:\\/\\/[^\\s/?#:@]*:|(?:${fields})["'\\\\]*\\s*[:=,]\\s*["'\\\\]*(?:[\\w-]+ )?`;
  return new RegExp(`(${place})(?:${words.map(escaped).join('|')})(?!\\w)`, 'gi');
};

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

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
  const last = text.charCodeAt(text.length - 1);
  for (let length = secret.length - 1; length >= minSecretLength; length -= 1) {
    // On the path of every log line: only a possible match is worth another string.
    if (secret.charCodeAt(length - 1) === last && text.endsWith(secret.slice(0, length)))
      return text.slice(0, -length) + replacement;
  }
  return text;
}
