/** Numbers, times and words as people read them. */

const number = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const count = (value) => (value < 10_000 ? number.format(value) : compact.format(value));

/** Counts of a backlog end at a thousand. */
export const bounded = (value) => (value >= 1000 ? '1,000+' : number.format(value));

/** `1 attempt`, `2 attempts`. */
export const attempts = (value) => `${count(value)} ${value === 1 ? 'attempt' : 'attempts'}`;

/** `1 delivery is`, `2 deliveries are`. */
export const deliveriesAre = (value) => (value === 1 ? '1 delivery is' : `${bounded(value)} deliveries are`);

/** Never 100 % where something failed, nor 0 % where something succeeded. */
export function percent(rate) {
  if (rate === null || rate === undefined) return '–';
  const tenths = Math.round(rate * 1000);
  const value = (rate > 0 && rate < 1 ? Math.min(999, Math.max(1, tenths)) : tenths) / 10;
  return `${value === 100 || value === 0 ? value : value.toFixed(1)} %`;
}

export function duration(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

/** @param {number} ms from now; negative in the past */
function fromNow(ms) {
  const [unit, size] = units.find(([, length]) => Math.abs(ms) >= length) ?? units[3];
  const value = Math.trunc(ms / size);
  return value === 0 ? 'now' : relative.format(value, unit);
}

/** @param {string} iso @param {number} now epoch milliseconds by the clock of the gateway */
export const ago = (iso, now) => fromNow(Math.min(0, Date.parse(iso) - now));
/** How long something has lasted. */
export const age = (iso, now) => ago(iso, now).replace(/ ago$/, '');
export const until = (iso, now) => fromNow(Math.max(0, Date.parse(iso) - now));

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
export const at = (iso) => moment.format(new Date(iso));

const brief = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
/** Where there is little room. */
export const atBriefly = (iso) => brief.format(new Date(iso));

const instant = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
/** To the second, as the log of a receiver has it. */
export const atSecond = (iso) => instant.format(new Date(iso));

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const date = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
/** A place on the axis of a period. */
export const tick = (iso, period) => (period === 'HOUR' || period === 'DAY' ? clock : date).format(new Date(iso));

/** `MESSAGE_RECEIVED` as `message received`. */
export const words = (name) => name.toLowerCase().replaceAll('_', ' ');

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Where a URL leads, without path and query, which are often credentials. */
export function origin(url) {
  try {
    return new URL(url).origin;
  } catch {
    return 'an address that cannot be read';
  }
}

/** The part of it that people know it by. */
export const hostOf = (url) => URL.parse(url)?.host ?? origin(url);

/** What an attempt came to. */
export function outcome(attempt) {
  if (attempt === null) return 'No attempt yet';
  if (attempt.status === null && attempt.failure === null) return 'Not sent';
  if (attempt.failure !== null) return capital(words(attempt.failure));
  return `HTTP ${attempt.status}`;
}
