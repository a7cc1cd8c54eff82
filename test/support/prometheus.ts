/** What `/metrics` serves, read as Prometheus reads it. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** @throws Error for a line that is none of the text format */
export function readMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || Number.isNaN(Number(value?.replace('+Inf', 'Infinity'))))
      throw new Error(`not a sample: ${line}`);
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** The names and labels that a PromQL expression mentions, name by name. */
export function namesIn(expression: string): string[] {
  const withoutTexts = expression.replace(/"[^"]*"|'[^']*'/g, '');
  return [...withoutTexts.matchAll(/\b((?:postern|http|db|nodejs|process)_\w+)\s*[{[]/g)].map(([, name = '']) => name);
}
