import { quote, zero } from './characters.ts';
import { digitStops } from './scalars.ts';

/** Digits of a number of seconds; those of milliseconds have more. As many digits as fit one block stay within year 5138. */
const secondDigits: usize = 11;
const millisecondDigits: usize = 14;

const secondsPerDay: u64 = 86_400;

/** Years are counted from 1 March, so that the day of a leap year is its last: the first day of 1970 is this one of year 0. */
const daysBeforeEpoch: u32 = 719_468;
const daysPerEra: u32 = 146_097;
const daysPerCentury: u32 = 36_524;
const daysPerFourYears: u32 = 1_460;

/** Length of a text such as "2026-01-01T00:00:00.000Z", with its quotes. */
const printedLength: usize = 26;

/** Whether {@link printTime} prints a number, which has no sign, point or exponent. */
@inline
export function isPlainTime(start: usize, length: usize): bool {
  return length <= millisecondDigits && (digitStops(v128.load(start)) & ((1 << <u32>length) - 1)) === 0;
}

/** Prints as the host's `instantOf`, if {@link isPlainTime}. @returns the end of the 26 bytes written */
export function printTime(start: usize, length: usize, out: usize): usize {
  let number: u64 = 0;
  for (let digit: usize = 0; digit < length; digit++) number = number * 10 + (load<u8>(start + digit) - zero);
  const isSeconds = length <= secondDigits;
  const seconds = isSeconds ? number : number / 1_000;
  const milliseconds = isSeconds ? 0 : <u32>(number % 1_000);

  store<u8>(out, quote);
  printDay(<u32>(seconds / secondsPerDay), out + 1);
  printClock(<u32>(seconds % secondsPerDay), out + 12);
  // .fffZ and the quote
  store<u8>(out, 0x2e, 20);
  store<u8>(out, zero + <u8>(milliseconds / 100), 21);
  printTwo(milliseconds % 100, out + 22);
  store<u16>(out, 0x225a, 24);
  return out + printedLength;
}

/** Prints YYYY-MM-DDT of a day since the epoch. Eras of 400 years are alike in the Gregorian calendar. */
function printDay(sinceEpoch: u32, out: usize): void {
  const day = sinceEpoch + daysBeforeEpoch;
  const dayOfEra = day % daysPerEra;
  const yearOfEra =
    (dayOfEra - dayOfEra / daysPerFourYears + dayOfEra / daysPerCentury - dayOfEra / (daysPerEra - 1)) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  // From March on, the months of five have 153 days: 31, 30, 31, 30, 31.
  const monthFromMarch = (5 * dayOfYear + 2) / 153;
  const dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = (day / daysPerEra) * 400 + yearOfEra + <u32>(month <= 2);

  printTwo(year / 100, out);
  printTwo(year % 100, out + 2);
  store<u8>(out, 0x2d, 4);
  printTwo(month, out + 5);
  store<u8>(out, 0x2d, 7);
  printTwo(dayOfMonth, out + 8);
  store<u8>(out, 0x54, 10);
}

/** Prints HH:MM:SS of a second of the day. */
function printClock(second: u32, out: usize): void {
  printTwo(second / 3_600, out);
  store<u8>(out, 0x3a, 2);
  printTwo((second / 60) % 60, out + 3);
  store<u8>(out, 0x3a, 5);
  printTwo(second % 60, out + 6);
}

@inline
function printTwo(number: u32, out: usize): void {
  store<u8>(out, zero + <u8>(number / 10));
  store<u8>(out, zero + <u8>(number % 10), 1);
}
