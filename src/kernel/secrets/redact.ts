import { StringDecoder } from 'node:string_decoder';

/** In the place of a secret. */
export const redacted = '[redacted]';

/** Shorter values, such as flags, stand in ordinary text: only beside a credential's name are they replaced. */
const minSecretLength = 8;
/** In data, where an ordinary word as a header's value must change nothing. */
const minLengthInData = 16;

/**
 * Takes secrets out of text that a service echoes or an error tells: plain, in JSON, HTML and base64, percent-encoded, with
 * `+` for spaces, in either case, as Latin-1 that is read as UTF-8, and cut off at the end, whichever of their characters
 * are escaped; of `Bearer x` and `Basic x` the credential alone, too. Short ones and ordinary words, such as the password
 * `postgres`, only beside a credential's name.
 * @param names of further fields with credentials, such as headers
 * @param maxLength of the texts: no more is looked for of each secret than they can show
 */
export function redactor(
  secrets: readonly string[],
  names: readonly string[] = [],
  maxLength = Number.POSITIVE_INFINITY,
): (text: string) => string {
  const all = secrets.flatMap(withCredential).map((secret) => secret.slice(0, lengthIn(maxLength)));
  const forms = formsOf(all.filter(isTelling));
  const words = all.filter((secret) => secret !== '' && !isTelling(secret)).flatMap(plainForms);
  if (forms.length === 0 && words.length === 0) return (text) => text;
  let credential: RegExp | undefined;
  const hide = (text: string): string => {
    let shown = text;
    for (const form of forms) shown = withoutBeginning(shown.replaceAll(form, redacted), form);
    if (!words.some((word) => shown.includes(word))) return shown;
    credential ??= credentialPattern(words, names);
    return shown.replaceAll(credential, `$1${redacted}`);
  };
  return (text) => (/\\(?:[ux/']|$)|[&%]/.test(text) ? hiddenIn(text, hide) : hide(text));
}

/**
 * Characters of a secret that a text of some length can show, and enough to tell it from a word: three of Latin-1 can be
 * one of UTF-8.
 */
export const lengthIn = (length: number): number => 3 * length + 16;

/** {@link redactor} for data: secrets of 16 characters and more. @returns the same chunks where none has a secret */
export function dataRedactor(secrets: readonly string[]): (chunks: readonly Uint8Array[]) => readonly Uint8Array[] {
  const long = secrets.flatMap(withCredential).filter(({ length }) => length >= minLengthInData);
  const forms = formsOf(long);
  const parts = partsOf(long);
  const longParts = parts.filter(({ length }) => length >= minLengthInData);
  // Whatever has `Bearer x` has `x`, and each search takes time.
  const shortest = [...new Set([...longParts, ...forms])]
    .filter((form, _, all) => !all.some((other) => other !== form && form.includes(other)))
    .map((form) => Buffer.from(form));
  const seam = Math.max(0, ...shortest.map(({ length }) => length - 1));
  const isIn = (chunks: readonly Uint8Array[], parts: readonly Buffer[]): boolean => {
    const has = (bytes: Buffer) => parts.some((part) => bytes.includes(part));
    let before: Buffer | null = null;
    for (const { buffer, byteOffset, byteLength } of chunks) {
      const chunk = Buffer.from(buffer, byteOffset, byteLength);
      if (has(chunk) || (before !== null && has(Buffer.concat([before, chunk.subarray(0, seam)])))) return true;
      if (chunks.length > 1)
        before = (before !== null && chunk.length < seam ? Buffer.concat([before, chunk]) : chunk).subarray(-seam);
    }
    return false;
  };
  const inLatin1 = forms.map((form) => Buffer.from(form).toString('latin1'));
  const hide = (text: string) => inLatin1.reduce((shown, form) => shown.replaceAll(form, redacted), text);
  let escapedParts: RegExp[] | undefined;
  return (chunks) => {
    if (forms.length === 0) return chunks;
    const isPlain = isIn(chunks, shortest);
    if (!isPlain && !isIn(chunks, startOfEscape)) return chunks;
    // One character per byte: invalid UTF-8 stays as it is.
    const text = Buffer.concat(chunks).toString('latin1');
    escapedParts ??= parts.map(withEscapes);
    if (!isPlain && !escapedParts.some((part) => part.test(text))) return chunks;
    const shown = hiddenIn(text, hide);
    return shown === text ? chunks : [Buffer.from(shown, 'latin1')];
  };
}

const startOfEscape = [Buffer.from('\\u00')];

/**
 * The longest run of characters that are escaped rarely, of each secret and of its base64: to undo all escapes of a body
 * takes longer than to parse it.
 */
const partsOf = (secrets: readonly string[]): string[] =>
  secrets
    .flatMap((secret) => [secret, Buffer.from(secret).toString('base64')])
    .map((text) => text.split(/[^\w.~-]+/).reduce((most, run) => (run.length > most.length ? run : most)));

/** A token may have kilobytes: its beginning is rare enough, and is compiled soon. */
const withEscapes = (part: string): RegExp => {
  const units = Array.from(part.slice(0, 24), (unit) => `(?:${escaped(unit)}|\\\\{1,4}u${hexOf(unit)})`);
  return new RegExp(units.join(''), 'i');
};

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * JSON of the same value, in which each character is written as `JSON.stringify` does: writers differ in what they
 * escape. Those beyond ASCII stay escaped, for bytes and texts alike.
 * @param backslashes of an escape: two in JSON that is a text in JSON
 */
const asStringified = (backslashes: number, write: (character: string) => string) => {
  const written = Array.from({ length: 0x7f }, (_, code) => write(String.fromCharCode(code)));
  // Behind all backslashes before it; the end of a text may cut it off.
  const pattern = `(?<!\\\\)(\\\\{${backslashes},})(?:(?:u00|x)([\\da-f]{2})|([/'])|(?:u0{0,2}[\\da-f]?|x[\\da-f]?)?$)`;
  const escapes = new RegExp(pattern, 'gi');
  return (text: string): string =>
    text.replaceAll(escapes, (found: string, before: string, hex?: string, plain = '') => {
      if ((before.length / backslashes) % 2 !== 1) return found;
      const character = hex === undefined ? plain : written[Number.parseInt(hex, 16)];
      return character === undefined ? found.toLowerCase() : before.slice(backslashes) + character;
    });
};

const jsonLevels = [asStringified(1, inJson), asStringified(2, (character) => inJson(inJson(character)))];

const otherEscapes =
  /&#x0*([\da-f]{2});|&#0*(\d{2,3});|&(amp|lt|gt|quot|apos);|%([\da-f]{2})|(?:&#?\w{0,8}|%[\da-f]?)$/gi;

const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Of HTML and URLs. What they stand for is written as in JSON: a line of the log stays JSON. */
const withoutOtherEscapes = (text: string): string =>
  text.replaceAll(otherEscapes, (found, hex?: string, decimal?: string, name?: string, percent?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? percent ?? '0', 16) : Number(decimal);
    if (code > 0x7e) return found;
    return inJson(code === 0 ? (namedEntities[name?.toLowerCase() ?? ''] ?? '') : String.fromCharCode(code));
  });

const withoutEscapes = [...jsonLevels, withoutOtherEscapes];

/** Also behind escapes: they are undone where that lets `hide` hide more. */
function hiddenIn(text: string, hide: (text: string) => string): string {
  let shown = hide(text);
  let last = shown;
  for (const undo of withoutEscapes) {
    const plain = undo(last);
    if (plain === last) continue;
    last = hide(plain);
    if (last !== plain) shown = last;
  }
  return shown;
}

/** RFC 7617, which leaves the charset open: a service that decodes user and password may echo either. */
function withCredential(secret: string): string[] {
  const [, scheme = '', credential = ''] = /^([\w-]+) (\S+)$/.exec(secret) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [secret, credential];
  const bytes = Buffer.from(credential, 'base64');
  const pairs = [bytes.toString(), bytes.toString('latin1')].flatMap((text) => /^[^:]*:(.*)$/s.exec(text) ?? []);
  return [secret, credential, ...pairs];
}

/** Whether a text with it can hardly mean anything else. */
const isTelling = (secret: string): boolean => secret.length >= minSecretLength && !/^[a-z]{1,15}$/i.test(secret);

/** The longest first. */
const formsOf = (secrets: readonly string[]): string[] => {
  const forms = secrets.flatMap((secret) => {
    // JSON may be a text in JSON, and error pages are HTML.
    return [
      ...[...plainForms(secret), ...jsonForms(secret).flatMap((json) => [json, ...jsonForms(json)])],
      ...[inHtml(secret), secret.toUpperCase(), secret.toLowerCase(), asReceived(secret), ...inUrls(secret)],
      ...inBase64(Buffer.from(secret)),
      ...inBase64(Buffer.from(secret, 'latin1')),
    ];
  });
  return [...new Set(forms)].sort((one, other) => other.length - one.length);
};

/** Some writers leave out the padding. */
const inBase64 = (bytes: Buffer): string[] => {
  const padded = bytes.toString('base64');
  return [padded, padded.replaceAll('=', ''), bytes.toString('base64url')];
};

const plainForms = (secret: string): string[] => [secret, inJson(secret), inUrl(secret)];

const inUrl = (secret: string): string => encodeURIComponent(secret.toWellFormed());

/**
 * In forms a space is a plus, whatever else is encoded; some write hexadecimal digits in lower case. Of what
 * `encodeURIComponent` leaves, `URLSearchParams` and Java encode all but the star, Python all but the tilde, PHP all.
 */
const inUrls = (secret: string): string[] => {
  const encoded = inUrl(secret);
  const inUpperCase = [
    encoded,
    ...[/[!'()~]/g, /[!'()*]/g, /[!'()*~]/g].map((left) => encoded.replaceAll(left, percent)),
  ];
  const inLowerCase = inUpperCase.map((form) => form.replaceAll(/%../g, (digits) => digits.toLowerCase()));
  const all = [...inUpperCase, ...inLowerCase];
  return [...all, ...[secret, ...all].map((form) => form.replaceAll(/ |%20/g, '+'))];
};

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** Headers are sent in Latin-1; an echo of their bytes may be no UTF-8. A last character that was cut off is left out. */
const asReceived = (secret: string): string => new StringDecoder('utf8').write(Buffer.from(secret, 'latin1'));

/** Ends of names: `x-auth-token`, `PGPASSWORD`. */
const credentialNames = 'pass|password|passwd|passphrase|pwd|secret|token|api[-_]?key|authorization|credentials?';

/** One of the words behind `scheme://user:` or a field's name, which is the first group. */
const credentialPattern = (words: readonly string[], names: readonly string[]): RegExp => {
  const fields = [credentialNames, ...names.map((name) => escaped(name).replaceAll('\\-', '[-_]'))].join('|');
  const place = `:\\/\\/[^\\s/?#:@]*:|(?:${fields})["'\\\\\\]]*\\s*(?:=>|[:=,])\\s*["'\\\\]*(?:[\\w-]+ )?`;
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

/** Some writers of JSON escape slashes or write ASCII alone. */
const jsonForms = (text: string): string[] => {
  const json = inJson(text);
  return [json, json.replaceAll('/', '\\/'), inAscii(json)];
};

const inAscii = (json: string): string => json.replaceAll(/[\x7f-\uffff]/g, (unit) => `\\u${hexOf(unit)}`);

function withoutBeginning(text: string, secret: string): string {
  const last = text.charCodeAt(text.length - 1);
  for (let length = Math.min(secret.length - 1, text.length); length >= minSecretLength; length -= 1) {
    // On the path of every log line: only a possible match is worth another string.
    if (secret.charCodeAt(length - 1) === last && text.endsWith(secret.slice(0, length)))
      return text.slice(0, -length) + redacted;
  }
  return text;
}
