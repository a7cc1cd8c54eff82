import { writeDictionary } from './dictionary.ts';
import type { EncodedPlan, EncodedShape, EncodedSlot } from './encoded-plan.ts';
import { alignUp } from './kernel.ts';
import {
  detailLeaf,
  detailLeaves,
  detailList,
  detailObject,
  frameSlots,
  keyInside,
  keyLength,
  keyNext,
  keyOwner,
  keyShape,
  longestExpected,
  neverKey,
  ownedByNone,
  shapeBytes,
  shapeDictionary,
  shapeFrameBytes,
  slotBytes,
} from './layout.ts';
import { itself, type ObjectShape, type Part, type SplicePlan, type ValueShape } from './plan.ts';
import { PlanMemory } from './plan-memory.ts';
import { writeTemplate } from './template.ts';

/**
 * Compiles a plan.
 * @throws Error for a key that its shape does not have, or has with another kind of value; for a key that JSON writes
 *   with escapes; for a parameter by item outside of a window
 */
export function encodePlan(plan: SplicePlan): EncodedPlan {
  const memory = new PlanMemory();
  const root = writeShape(memory, plan.shape, new Map());
  const write = (parts: readonly Part[]) => writeTemplate(memory, parts, root);
  const templates = plan.templates.map(write);
  const asks = plan.templates.map(askedBy).map((parts) => parts && write(parts));
  return { bytes: memory.written(), root, templates, asks };
}

function writeShape(memory: PlanMemory, shape: ObjectShape, known: Map<ObjectShape, EncodedShape>): EncodedShape {
  const before = known.get(shape);
  if (before !== undefined) return before;
  const slots = new Map(
    Object.entries(shape).map(([key, value], at): [string, EncodedSlot] => [
      key,
      { offset: frameSlots + at * slotBytes, ...writeValue(memory, value, known) },
    ]),
  );
  const encoded = { address: memory.allocate(shapeBytes), slots };
  writeKeys(memory, encoded);
  known.set(shape, encoded);
  return encoded;
}

function writeValue(memory: PlanMemory, value: ValueShape, known: Map<ObjectShape, EncodedShape>) {
  if (value === 'leaf') return { kind: value } as const;
  if ('object' in value) return { kind: 'object', shape: writeShape(memory, value.object, known) } as const;
  return value.list === 'leaf'
    ? ({ kind: 'leaves', shape: writeShape(memory, leafEntry, known) } as const)
    : ({ kind: 'list', shape: writeShape(memory, value.list, known) } as const);
}

/** One slot, in which the kernel notes the entry. */
const leafEntry: ObjectShape = { [itself]: 'leaf' };

const detailCodes = { leaf: detailLeaf, object: detailObject, list: detailList, leaves: detailLeaves };

function writeKeys(memory: PlanMemory, { address, slots }: EncodedShape): void {
  const entries = [...slots].map(([key, { offset, kind }]) => ({ key, value: offset, detail: detailCodes[kind] }));
  const dictionary = writeDictionary(memory, entries);
  memory.set(address + shapeDictionary, dictionary.address);
  memory.set(address + shapeFrameBytes, alignUp(frameSlots + slots.size * slotBytes));
  // Until documents differ, keys are expected in the order of the shape.
  const [first = neverKey] = dictionary.records;
  memory.set(address + keyNext, first);
  for (const [at, slot] of [...slots.values()].entries()) {
    const record = dictionary.records[at] as number;
    memory.set(record + keyNext, dictionary.records[at + 1] ?? first);
    memory.set(record + keyShape, slot.kind === 'leaf' ? 0 : slot.shape.address);
    memory.set(record + keyInside, neverKey);
    if (memory.get(record + keyLength) < longestExpected) memory.set(record + keyOwner, address);
    else memory.set(record + keyOwner, ownedByNone);
  }
}

const text = (value: string): Part => ({ kind: 'text', text: value });

/**
 * A template that prints what the inner prints of another ask for, in their order: objects in lists of lists, which end
 * with a zero. Made of the other's own parts, so that both take the same way through a document.
 * @returns undefined if there are no inner prints
 */
function askedBy(parts: readonly Part[]): readonly Part[] | undefined {
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
