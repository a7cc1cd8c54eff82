export const quote: u8 = 0x22;
export const backslash: u8 = 0x5c;
export const comma: u8 = 0x2c;
export const colon: u8 = 0x3a;
export const minus: u8 = 0x2d;
export const plus: u8 = 0x2b;
export const point: u8 = 0x2e;
export const zero: u8 = 0x30;
export const openBrace: u8 = 0x7b;
export const closeBrace: u8 = 0x7d;
export const openBracket: u8 = 0x5b;
export const closeBracket: u8 = 0x5d;
export const space: u8 = 0x20;

/** Literals as words in memory. */
export const wordNull: u32 = 0x6c6c756e;
export const wordTrue: u32 = 0x65757274;
const wordFals: u32 = 0x736c6166;

@inline
export function isDigit(byte: u8): bool {
  return byte - zero <= 9;
}

@inline
export function isFalse(at: usize): bool {
  return load<u32>(at) === wordFals && load<u8>(at, 4) === 0x65;
}

@inline
export function storeFalse(at: usize): void {
  store<u32>(at, wordFals);
  store<u8>(at, 0x65, 4);
}

@inline
function isWhitespace(byte: u8): bool {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** @returns the first byte from here on that is no white space */
@inline
export function skipWhitespace(at: usize): usize {
  // Most documents have none.
  if (load<u8>(at) > space) return at;
  return skipSomeWhitespace(at);
}

function skipSomeWhitespace(at: usize): usize {
  while (isWhitespace(load<u8>(at))) at++;
  return at;
}

/** More than 15 for any other character. */
export function hexValue(byte: u8): u32 {
  if (isDigit(byte)) return byte - zero;
  const letter: u8 = (byte | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 16;
}
