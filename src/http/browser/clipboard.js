/** @throws Error with a sentence for people */
export async function copyText(text) {
  // Only pages on HTTPS, and on this machine, have it.
  if (navigator.clipboard === undefined)
    throw new Error('Browsers let pages copy over HTTPS only: select the text, and copy it yourself.');
  await navigator.clipboard.writeText(text);
}
