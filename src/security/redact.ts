/** Shorter values say nothing, such as those of flags, and would stand in ordinary text. */
const minSecretLength = 8;

const replacement = '[redacted]';

/**
 * Takes what the gateway has sent as a secret out of what comes back: a service or a destination may echo it.
 * @returns replaces each secret, plain, in JSON and percent-encoded, and the beginning of one that the text breaks off in
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret.length >= minSecretLength)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())])
    .sort((one, other) => other.length - one.length);
  if (forms.length === 0) return (text) => text;
  return (text) => {
    let shown = text;
    for (const form of forms) shown = withoutBeginning(shown.replaceAll(form, replacement), form);
    return shown;
  };
}

function withoutBeginning(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= minSecretLength; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + replacement;
  }
  return text;
}
