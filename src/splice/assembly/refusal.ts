/** One of the codes of layout.ts. */
export let refusal: i32 = 0;

/** @returns the address that stands for a refusal, for the caller to return too */
export function refuse(code: i32): usize {
  refusal = code;
  return 0;
}
