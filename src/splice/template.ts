import { writeDictionary } from './dictionary.ts';
import type { EncodedShape, EncodedSlot } from './encoded-plan.ts';
import {
  kindAscii,
  kindFalse,
  kindNull,
  kindNumber,
  kindTrue,
  opBase64url,
  opChoice,
  opEnd,
  opFirst,
  opInner,
  opInstant,
  opInteger,
  opItemParameter,
  opJump,
  opList,
  opMapping,
  opNumber,
  opObject,
  opParameter,
  opPresence,
  opString,
  opSwitch,
  opValue,
  opWindow,
  stepAfter,
  stepBody,
  stepDirect,
  stepFirstLeaf,
  stepFirstObject,
  stepOp,
  stepOtherwise,
  stepOtherwiseLength,
  stepRequired,
  stepSlot,
  stepTable,
  stepText,
  stepTextLength,
} from './layout.ts';
import type { LeafRule, Part } from './plan.ts';
import { encodeUtf8, type PlanMemory } from './plan-memory.ts';

interface StepScope {
  readonly memory: PlanMemory;
  readonly shape: EncodedShape;
  readonly inWindow: boolean;
}

type PartOf<Kind extends Part['kind']> = Extract<Part, { readonly kind: Kind }>;

export const writeTemplate = (memory: PlanMemory, parts: readonly Part[], shape: EncodedShape): number =>
  writeSteps({ memory, shape, inWindow: false }, parts, opEnd).first;

/** @returns the first step, and the last, behind which the reading goes on */
function writeSteps(place: StepScope, parts: readonly Part[], lastOp: number): { first: number; last: number } {
  const { memory } = place;
  let first: number | undefined;
  /** Steps whose successor is not known yet. */
  let open: readonly number[] = [];
  // The next step prints it: most steps print a key and a value.
  let text = '';
  const writeStep = (op: number): number => {
    const bytes = encodeUtf8(text);
    const step = memory.allocate(stepText + bytes.length);
    memory.set(step + stepOp, op);
    memory.set(step + stepTextLength, bytes.length);
    memory.write(step + stepText, bytes);
    for (const before of open) memory.set(before + stepAfter, step);
    first ??= step;
    open = [step];
    text = '';
    return step;
  };
  for (const part of parts) {
    if (part.kind === 'text') {
      text += part.text;
      continue;
    }
    const step = writeStep(opOf(part));
    if (part.kind === 'switch') open = writeCases(place, step, part);
    else if (part.kind === 'choice') open = writeChoice(place, step, part);
    else writeDetails(place, step, part);
  }
  const last = writeStep(lastOp);
  return { first: first ?? last, last };
}

function opOf(part: Exclude<Part, PartOf<'text'>>): number {
  if (part.kind !== 'leaf') return ops[part.kind];
  if (typeof part.rule !== 'string') return opMapping;
  return leafSteps[part.rule].op;
}

const ops = {
  parameter: opParameter,
  itemParameter: opItemParameter,
  presence: opPresence,
  base64url: opBase64url,
  object: opObject,
  list: opList,
  first: opFirst,
  window: opWindow,
  inner: opInner,
  switch: opSwitch,
  choice: opChoice,
} as const;

/** `direct`: kinds that are printed as they stand. */
const leafSteps = {
  string: { op: opString, direct: 1 << kindAscii },
  number: { op: opNumber, direct: 1 << kindNumber },
  integer: { op: opInteger, direct: 0 },
  boolean: { op: opValue, direct: (1 << kindTrue) | (1 << kindFalse) },
  instant: { op: opInstant, direct: 0 },
} as const satisfies Record<Extract<LeafRule, string>, { op: number; direct: number }>;

function writeDetails(place: StepScope, step: number, part: Exclude<Part, PartOf<'text' | 'switch' | 'choice'>>): void {
  const { memory } = place;
  switch (part.kind) {
    case 'parameter':
      memory.set(step + stepTable, part.index);
      return;
    case 'itemParameter':
      if (!place.inWindow) throw new Error('A parameter by item stands in no window');
      // The first list has those that are not by item.
      memory.set(step + stepTable, part.index + 1);
      return;
    case 'leaf':
      memory.set(step + stepSlot, leafOffset(place, part.key));
      memory.set(step + stepRequired, Number(part.required));
      if (typeof part.rule === 'string') {
        memory.set(step + stepDirect, leafSteps[part.rule].direct | (part.required ? 0 : 1 << kindNull));
      } else writeMapping(memory, step, part.rule);
      return;
    case 'presence':
      memory.set(step + stepSlot, leafOffset(place, part.key));
      return;
    case 'base64url':
      memory.set(step + stepSlot, leafOffset(place, part.key));
      memory.set(step + stepTable, part.prefix);
      writeOtherwise(memory, step, part.suffix);
      if (part.first !== undefined) writeFirst(place, step, part.first);
      return;
    case 'object':
    case 'list':
    case 'first':
      memory.set(step + stepRequired, Number(part.required));
      if (part.kind === 'list' && part.emptyIsNull === true) memory.set(step + stepOtherwise, 1);
      writeBody(place, step, part);
      return;
    case 'inner':
      return;
    case 'window':
      writeBody({ ...place, inWindow: true }, step, part);
      return;
    default:
      part satisfies never;
  }
}

function writeFirst(place: StepScope, step: number, { object, key }: NonNullable<PartOf<'base64url'>['first']>): void {
  const { offset, shape } = innerSlot(place, object, 'object');
  place.memory.set(step + stepFirstObject, offset);
  place.memory.set(step + stepFirstLeaf, leafOffset({ ...place, shape }, key));
}

function writeBody(place: StepScope, step: number, part: PartOf<'object' | 'list' | 'first' | 'window'>): void {
  const { memory } = place;
  const slot = innerSlot(place, part.key, part.kind === 'object' ? 'object' : 'list');
  memory.set(step + stepSlot, slot.offset);
  memory.set(step + stepBody, writeSteps({ ...place, shape: slot.shape }, part.parts, opEnd).first);
}

function writeMapping(memory: PlanMemory, step: number, { mapping, otherwise }: Exclude<LeafRule, string>): void {
  const entries = Object.entries(mapping).map(([key, text]) => {
    const { address, length } = memory.text(text);
    return { key, value: address, detail: length };
  });
  memory.set(step + stepTable, writeDictionary(memory, entries).address);
  if (otherwise !== null) writeOtherwise(memory, step, otherwise);
}

function writeOtherwise(memory: PlanMemory, step: number, text: string): void {
  const { address, length } = memory.text(text);
  memory.set(step + stepOtherwise, address);
  memory.set(step + stepOtherwiseLength, length);
}

/** @returns the last steps of all cases */
function writeCases(place: StepScope, step: number, { key, cases }: PartOf<'switch'>): number[] {
  const { memory } = place;
  const written = Object.entries(cases).map(([name, parts]) => ({ name, ...writeSteps(place, parts, opJump) }));
  const entries = written.map(({ name, first }) => ({ key: name, value: first, detail: 0 }));
  memory.set(step + stepSlot, leafOffset(place, key));
  memory.set(step + stepTable, writeDictionary(memory, entries).address);
  return written.map(({ last }) => last);
}

/** @returns the last steps of both */
function writeChoice(place: StepScope, step: number, { key, parts, otherwise }: PartOf<'choice'>): number[] {
  const { memory } = place;
  const [given, other] = [writeSteps(place, parts, opJump), writeSteps(place, otherwise, opJump)];
  memory.set(step + stepSlot, slotOf(place, key).offset);
  memory.set(step + stepTable, given.first);
  memory.set(step + stepOtherwise, other.first);
  return [given.last, other.last];
}

function slotOf({ shape }: StepScope, key: string): EncodedSlot {
  const slot = shape.slots.get(key);
  if (slot === undefined) throw new Error(`The shape has no key ${JSON.stringify(key)}`);
  return slot;
}

function innerSlot(place: StepScope, key: string, kind: 'object' | 'list') {
  const slot = slotOf(place, key);
  if (slot.kind === 'leaf' || (slot.kind === 'object') !== (kind === 'object')) throw wrongKind(key, kind);
  return slot;
}

function leafOffset(place: StepScope, key: string): number {
  const { offset, kind } = slotOf(place, key);
  if (kind !== 'leaf') throw wrongKind(key, 'leaf');
  return offset;
}

const wrongKind = (key: string, kind: EncodedSlot['kind']): Error =>
  new Error(`Under the key ${JSON.stringify(key)} the shape has no ${kind}`);
