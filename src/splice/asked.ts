import type { Part } from './plan.ts';

const text = (value: string): Part => ({ kind: 'text', text: value });

/**
 * A template that prints what the inner prints of another ask for, in their order: objects in lists of lists, which end
 * with a zero. Made of the other's own parts, so that both take the same way through a document.
 * @returns undefined if there are no inner prints
 */
export function askedBy(parts: readonly Part[]): readonly Part[] | undefined {
  const asked = inList(parts);
  return asked.length === 0 ? undefined : asked;
}

function inList(parts: readonly Part[]): readonly Part[] {
  const asked = parts.flatMap(withComma);
  return asked.length === 0 ? asked : [text('['), ...asked, text('0]')];
}

/** Empty if the part has no inner prints. */
function withComma(part: Part): readonly Part[] {
  switch (part.kind) {
    case 'inner':
      return [...part.asks, text(',')];
    case 'object':
    case 'list':
    case 'first':
    case 'window': {
      const inner = inList(part.parts);
      if (inner.length === 0) return inner;
      const asked = { ...part, parts: inner };
      return part.kind === 'window' ? [text('['), asked, text('],')] : [asked, text(',')];
    }
    case 'switch': {
      const cases = Object.entries(part.cases).map(([key, each]) => [key, each.flatMap(withComma)] as const);
      return cases.some(([, each]) => each.length > 0) ? [{ ...part, cases: Object.fromEntries(cases) }] : [];
    }
    case 'choice': {
      const [given, otherwise] = [part.parts.flatMap(withComma), part.otherwise.flatMap(withComma)];
      return given.length + otherwise.length > 0 ? [{ ...part, parts: given, otherwise }] : [];
    }
    default:
      return [];
  }
}
