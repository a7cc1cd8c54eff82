/** The log for people at a terminal, in place of JSON: time, level, message and fields in a line, a stack below it. */
import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const levels: Readonly<Record<number, readonly [name: string, style: Style]>> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'gray'],
  30: ['INFO', 'green'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

interface Shown {
  /** Where colours go, if it has them. */
  readonly stream?: NodeJS.WritableStream;
  /** Whether lines of several processes meet: then each has its `pid`. */
  readonly hasSiblings?: boolean;
}

/** @param lines of JSON, as pino writes them. @returns as many, and those of stacks */
export const readable = (
  lines: string,
  { stream = process.stdout, hasSiblings = process.channel !== undefined }: Shown = {},
): string =>
  lines
    .split('\n')
    .map((line) => (line === '' ? '' : readableLine(JSON.parse(line), { stream, hasSiblings })))
    .join('\n');

interface Line {
  readonly level: number;
  /** Epoch milliseconds. */
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
  readonly [field: string]: unknown;
}

function readableLine(line: Line, { stream, hasSiblings }: Required<Shown>): string {
  const { level, time, msg = '', err, version: _version, hostname: _hostname, pid, ...others } = line;
  const fields = hasSiblings ? { pid, ...others } : others;
  const styled = (style: Style, text: string) => styleText(style, text, { stream });
  const [name, style] = levels[level] ?? [String(level), 'gray'];
  const told = Object.entries(fields).map(([field, value]) => `${styled('gray', `${field}=`)}${plain(textOf(value))}`);
  const at = new Date(time).toTimeString().slice(0, 8);
  const head = [styled('gray', at), styled(style, name.padEnd(5)), plain(msg), ...told].join(' ');
  const stack = err?.stack ?? err?.message;
  return stack === undefined ? head : `${head}\n${stack.split('\n').map(plain).join('\n')}`;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);

/** Without control characters: a terminal obeys them, and clients choose some values. */
const plain = (text: string): string =>
  text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
