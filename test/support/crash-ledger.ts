/**
 * What became of every event of a crash run. Runs are long and events many, so an event is an index into the arrays of the
 * emitter that numbered it.
 */
import { percentile } from '../bench/gateway.ts';

export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface Ledger {
  /** @param id `<emitter>-<number>`, numbers from 0 */
  acknowledge(id: string, at: number): void;
  arrive(id: string, at: number): void;
  readonly acknowledged: number;
  /** Arrivals, those of events that were not acknowledged included. */
  readonly arrived: number;
  /** Arrivals of events that had arrived before. */
  readonly extra: number;
  /** Acknowledged events that have not arrived. */
  lost(): number;
  /** Milliseconds from the acknowledgement of an event to its first arrival; infinite for one that is lost. */
  lateness(): Lateness;
}

interface Emitter {
  readonly acknowledgedAt: number[];
  readonly arrivedAt: number[];
}

export function createLedger(): Ledger {
  const emitters = new Map<string, Emitter>();
  let [acknowledged, arrived, extra] = [0, 0, 0];

  const find = (id: string): readonly [Emitter, number] => {
    const dash = id.lastIndexOf('-');
    const name = id.slice(0, dash);
    let emitter = emitters.get(name);
    if (emitter === undefined) {
      emitter = { acknowledgedAt: [], arrivedAt: [] };
      emitters.set(name, emitter);
    }
    return [emitter, Number(id.slice(dash + 1))];
  };
  const late = (): number[] =>
    [...emitters.values()].flatMap(({ acknowledgedAt, arrivedAt }) =>
      acknowledgedAt.map((at, n) => (arrivedAt[n] ?? Number.POSITIVE_INFINITY) - at),
    );
  return {
    acknowledge(id, at) {
      const [{ acknowledgedAt }, n] = find(id);
      acknowledged += 1;
      acknowledgedAt[n] = at;
    },
    arrive(id, at) {
      const [{ arrivedAt }, n] = find(id);
      arrived += 1;
      if (arrivedAt[n] === undefined) arrivedAt[n] = at;
      else extra += 1;
    },
    get acknowledged() {
      return acknowledged;
    },
    get arrived() {
      return arrived;
    },
    get extra() {
      return extra;
    },
    lost: () => late().filter((ms) => ms === Number.POSITIVE_INFINITY).length,
    lateness() {
      const all = late();
      const [p50 = Number.NaN, p99 = Number.NaN, max = Number.NaN] = [50, 99, 100].map((p) =>
        Math.round(percentile(all, p)),
      );
      return { p50, p99, max };
    },
  };
}
