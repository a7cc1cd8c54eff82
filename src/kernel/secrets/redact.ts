import { StringDecoder } from 'node:string_decoder';

/** In the place of a secret. */
export const redacted = '[redacted]';

/** Shorter values, such as flags, stand in ordinary text: only beside a credential's name are they replaced. */
const minSecretLength = 8;

/**
 * Takes secrets out of text that a service echoes or an error tells: plain, in JSON, HTML and base64, percent-encoded, with
 * `+` for spaces, in either case, as Latin-1 that is read as UTF-8, and cut off at the end, whichever of their characters
 * are escaped; of `Bearer x` and `Basic x` the credential alone, too. Short ones and ordinary words, such as the password
 * `postgres`, only beside a credential's name. The rest of the text stays as it is. For errors, logs and stored bodies:
 * data is passed on unchanged.
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
  const ends = endsOfBeginnings(forms);
  let credential: RegExp | undefined;
  const find = (text: string): Range[] => {
    const found: Range[] = [];
    for (const form of forms) addOccurrences(found, text, form);
    // On the path of every log line, which ends with a brace.
    if (ends.has(text.charCodeAt(text.length - 1))) {
      for (const form of forms) addBeginning(found, text, form);
    }
    if (words.some((word) => text.includes(word))) {
      credential ??= credentialPattern(words, names);
      for (const { 0: match, 1: before = '', index } of text.matchAll(credential)) {
        found.push([index + before.length, index + match.length]);
      }
    }
    return found;
  };
  return (text) => {
    const found = find(text);
    if (/\\(?:[ux/']|$)|[&%]/.test(text)) found.push(...foundBehindEscapes(text, find));
    return found.length === 0 ? text : withoutRanges(text, found);
  };
}

/** Its start, and the place behind its end; infinite for the rest of the text, with an escape that is cut off. */
type Range = readonly [number, number];

function addOccurrences(ranges: Range[], text: string, secret: string): void {
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    ranges.push([at, at + secret.length]);
  }
}

/** Adds the beginning of a secret that the end of the text cuts off. */
function addBeginning(ranges: Range[], text: string, secret: string): void {
  for (let length = Math.min(secret.length - 1, text.length); length >= minSecretLength; length -= 1) {
    if (!text.endsWith(secret.slice(0, length))) continue;
    ranges.push([text.length - length, Number.POSITIVE_INFINITY]);
    return;
  }
}

/** The characters with which a beginning that is long enough can end. */
const endsOfBeginnings = (forms: readonly string[]): ReadonlySet<number> =>
  new Set(
    forms.flatMap((form) =>
      form
        .slice(minSecretLength - 1, -1)
        .split('')
        .map((end) => end.charCodeAt(0)),
    ),
  );

function withoutRanges(text: string, ranges: readonly Range[]): string {
  let shown = '';
  let end = 0;
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    if (from >= end) shown += text.slice(end, from) + redacted;
    end = Math.max(end, to);
  }
  return shown + text.slice(end);
}

/**
 * Characters of a secret that a text of some length can show, and enough to tell it from a word: three of Latin-1 can be
 * one of UTF-8.
 */
export const lengthIn = (length: number): number => 3 * length + 16;

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A text with an escape undone: where its replacement stands, and where the escape stood. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

type Undo = (text: string) => { readonly plain: string; readonly edits: readonly Edit[] };

/** @param undo says what stands for a match instead, and behind how many of its characters */
const undoing =
  (
    escapes: RegExp,
    undo: (match: RegExpExecArray) => { readonly text: string; readonly skipped: number } | null,
  ): Undo =>
  (text) => {
    const edits: Edit[] = [];
    let plain = '';
    let done = 0;
    for (const match of text.matchAll(escapes)) {
      const undone = undo(match);
      if (undone === null) continue;
      const from = match.index + undone.skipped;
      plain += text.slice(done, from);
      done = match.index + match[0].length;
      edits.push({ start: plain.length, end: plain.length + undone.text.length, from, to: done });
      plain += undone.text;
    }
    return { plain: plain + text.slice(done), edits };
  };

/** A range of a text before its escapes were undone. */
const rangeBefore = ([start, end]: Range, edits: readonly Edit[]): Range => [
  placeBefore(start, edits[countBefore(start + 1, edits) - 1], 'from'),
  placeBefore(end, edits[countBefore(end, edits) - 1], 'to'),
];

/** @param bound of an escape that the place is within, or ends with */
function placeBefore(place: number, edit: Edit | undefined, bound: 'from' | 'to'): number {
  if (edit === undefined) return place;
  return place < edit.end ? edit[bound] : edit.to + place - edit.end;
}

function countBefore(place: number, edits: readonly Edit[]): number {
  let low = 0;
  let high = edits.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((edits[middle]?.start ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * JSON of the same value, in which each character is written as `JSON.stringify` does: writers differ in what they
 * escape. Those beyond ASCII stay escaped.
 * @param backslashes of an escape: two in JSON that is a text in JSON
 */
const asStringified = (backslashes: number, write: (character: string) => string): Undo => {
  const written = Array.from({ length: 0x7f }, (_, code) => write(String.fromCharCode(code)));
  // Behind all backslashes before it; the end of a text may cut it off.
  const pattern = `(?<!\\\\)(\\\\{${backslashes},})(?:(?:u00|x)([\\da-f]{2})|([/'])|(?:u0{0,2}[\\da-f]?|x[\\da-f]?)?$)`;
  return undoing(new RegExp(pattern, 'gi'), ([found, before = '', hex, plain = '']) => {
    if ((before.length / backslashes) % 2 !== 1) return null;
    const character = hex === undefined ? plain : written[Number.parseInt(hex, 16)];
    if (character === undefined) return { text: found.toLowerCase(), skipped: 0 };
    return { text: character, skipped: before.length - backslashes };
  });
};

const jsonLevels = [asStringified(1, inJson), asStringified(2, (character) => inJson(inJson(character)))];

const otherEscapes =
  /&#x0*([\da-f]{2});|&#0*(\d{2,3});|&(amp|lt|gt|quot|apos);|%([\da-f]{2})|(?:&#?\w{0,8}|%[\da-f]?)$/gi;

const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Undoes escapes of HTML and URLs. What they stand for is written as in JSON, which a line of the log is. */
const withoutOtherEscapes = undoing(otherEscapes, ([, hex, decimal, name, percent]) => {
  const code = decimal === undefined ? Number.parseInt(hex ?? percent ?? '0', 16) : Number(decimal);
  if (code > 0x7e) return null;
  const character = code === 0 ? (namedEntities[name?.toLowerCase() ?? ''] ?? '') : String.fromCharCode(code);
  return { text: inJson(character), skipped: 0 };
});

const withoutEscapes = [...jsonLevels, withoutOtherEscapes];

/** Each kind of escape is undone after those before it. */
function foundBehindEscapes(text: string, find: (text: string) => readonly Range[]): Range[] {
  const ranges: Range[] = [];
  const undone: (readonly Edit[])[] = [];
  let last = text;
  for (const undo of withoutEscapes) {
    const { plain, edits } = undo(last);
    if (edits.length === 0) continue;
    undone.unshift(edits);
    last = plain;
    ranges.push(...find(plain).map((range) => undone.reduce(rangeBefore, range)));
  }
  return ranges;
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
