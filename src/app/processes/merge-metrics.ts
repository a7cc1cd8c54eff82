/**
 * One text of Prometheus's format out of those of several processes. Each series gets the label `process`; a family of
 * series has to stand together.
 * @param texts by the value of the label
 */
export function mergeMetrics(texts: ReadonlyMap<string, string>): string {
  const families: Families = new Map();
  for (const [process, text] of texts) {
    let family = familyOf(families, '');
    for (const line of text.split('\n')) {
      const [, name] = /^# (?:HELP|TYPE|UNIT) (\S+)/.exec(line) ?? [];
      if (name !== undefined) {
        family = familyOf(families, name);
        family.head.add(line);
      } else if (line !== '' && !line.startsWith('#')) {
        family.series.push(labelled(line, process));
      }
    }
  }
  const lines = [...families.values()].flatMap(({ head, series }) => [...head, ...series]);
  return lines.map((line) => `${line}\n`).join('');
}

type Families = Map<string, { readonly head: Set<string>; readonly series: string[] }>;

function familyOf(families: Families, name: string) {
  const family = families.get(name) ?? { head: new Set<string>(), series: [] };
  families.set(name, family);
  return family;
}

const labelled = (line: string, process: string): string =>
  line.replace(/^([^\s{]+)(?:\{(?=.)| )/, (start, name: string) =>
    start.endsWith('{') ? `${name}{process="${process}",` : `${name}{process="${process}"} `,
  );
