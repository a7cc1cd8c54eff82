/** What an operation reads: each source with the notes on its items, and all as the shape of one plan. */
import type { Ports } from '../../../kernel/ports.ts';
import type { ObjectShape } from '../../../splice/plan.ts';
import type { AnySource } from '../../kit/source.ts';
import { Declined } from '../declined.ts';
import { addShape, type MutableShape } from './parts.ts';
import { type AnyPages, metadataReader, pagesOf, type ReadMetadata } from './readers.ts';

export interface CompiledSource {
  readonly of: AnySource;
  /** Distinguishes it from the others of the operation. */
  readonly index: number;
  /** Keys of items: all that is read. */
  readonly keys: ReadonlySet<string>;
  readonly readMetadata: ReadMetadata;
}

interface SourceInPlan {
  readonly source: CompiledSource;
  readonly keys: Set<string>;
  readonly shape: MutableShape;
  readonly pages: AnyPages;
}

export class CompiledSources {
  readonly #ports: Ports;
  readonly #sources = new Map<AnySource, SourceInPlan>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Undefined for a backend that has no JSON of it. */
  add(of: AnySource): SourceInPlan | undefined {
    const known = this.#sources.get(of);
    if (known !== undefined) return known;
    const pages = pagesOf(of, this.#ports);
    if (pages === undefined) return undefined;
    const keys = new Set<string>();
    const source = { of, index: this.#sources.size, keys, readMetadata: metadataReader(pages.metadata) };
    const inPlan = { source, keys, shape: {}, pages };
    this.#sources.set(of, inPlan);
    return inPlan;
  }

  /** Once all is compiled: every source's documents are read with it. @throws Declined for values that stand elsewhere */
  shape(): ObjectShape {
    const whole: MutableShape = {};
    for (const { pages, shape, keys } of this.#sources.values()) {
      for (const key of pages.lacks ?? [])
        if (Object.hasOwn(shape, key)) throw new Declined(`${key} is read by itself`);
      for (const key of Object.keys(shape)) keys.add(key);
      for (const [key, value] of Object.entries(pages.metadata)) addShape(whole, key, value as MutableShape[string]);
      addShape(whole, pages.items, { list: shape });
    }
    return whole;
  }
}
