/** Numbers, times and words as people read them. */

const number = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const count = (value) => (value < 10_000 ? number : compact).format(value);

/** `1 comment`, `2 comments`. */
export const counted = (value, noun) => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
export const at = (iso) => moment.format(new Date(iso));

const clock = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23' });
export const time = (iso) => clock.format(new Date(iso));

/** `FULL_TIME` as `Full time`. */
export function words(name) {
  const text = name.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const sizes = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
];

export function fileSize(bytes) {
  const [unit, size] = sizes.find(([, least]) => bytes >= least) ?? ['bytes', 1];
  return `${number.format(Math.round((bytes / size) * 10) / 10)} ${unit}`;
}

export const seconds = (value) =>
  value < 60 ? `${Math.round(value)} s` : `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
