/** The outcomes of the last calls: how many failed, and with how many of those who made them. */

export interface OutcomeWindow {
  /** @param member whom or what the call was for */
  count(member: string, failed: boolean): void;
  /** Whether most of enough calls failed, and most of enough members: of each, its last call. */
  mostFail(): boolean;
  clear(): void;
}

export interface WindowRules {
  readonly windowMs: number;
  /** The window moves in so many steps. */
  readonly slices: number;
  /** Fewer calls say nothing. */
  readonly minCalls: number;
  /** The share of calls that are most of them. Of members it takes more than half. */
  readonly failureRate: number;
  /** Members that must fail. */
  readonly minMembers: number;
}

/** Members that are known at a time: beyond them, those are forgotten that called longest ago. */
const maxMembers = 1_000;
/** The latest successes that are noted while nothing fails. */
const maxNoted = 100;

interface Member {
  readonly failed: boolean;
  readonly slice: number;
}

/** @param now epoch milliseconds; when the clock is set back, what is ahead of it does not count any more */
export function outcomeWindow(rules: WindowRules, now: () => number): OutcomeWindow {
  const sliceMs = rules.windowMs / rules.slices;
  const slices = Array.from({ length: rules.slices }, () => ({ number: -1, calls: 0, failures: 0 }));
  // In the order of their last calls.
  const members = new Map<string, Member>();
  let failingMembers = 0;
  // While nothing fails, nobody asks who succeeded, and a member may be another one with every call. So the latest are
  // only noted, and become members with the first failure.
  let noted: { readonly member: string; readonly slice: number }[] = [];
  let notedCount = 0;

  const isRecent = (slice: number, current: number) => slice <= current && slice > current - rules.slices;

  function drop(member: string): void {
    if (members.get(member)?.failed) failingMembers -= 1;
    members.delete(member);
  }

  function note(member: string, slice: number): void {
    noted[notedCount % maxNoted] = { member, slice };
    notedCount += 1;
  }

  function keepNoted(): void {
    const oldest = notedCount % noted.length;
    const inOrder = [...noted.slice(oldest), ...noted.slice(0, oldest)];
    noted = [];
    notedCount = 0;
    for (const { member, slice } of inOrder) keepMember(member, false, slice);
  }

  function keepMember(member: string, failed: boolean, current: number): void {
    const known = members.get(member);
    if (known?.slice === current && known.failed === failed) return;
    drop(member);
    members.set(member, { failed, slice: current });
    if (failed) failingMembers += 1;
    for (const [oldest, { slice }] of members) {
      if (isRecent(slice, current) && members.size <= maxMembers) return;
      drop(oldest);
    }
  }

  return {
    count(member, failed) {
      const current = Math.floor(now() / sliceMs);
      const slice = slices[current % slices.length] as (typeof slices)[number];
      if (slice.number !== current) Object.assign(slice, { number: current, calls: 0, failures: 0 });
      slice.calls += 1;
      if (failed) slice.failures += 1;
      if (!failed && failingMembers === 0) return note(member, current);
      if (noted.length > 0) keepNoted();
      keepMember(member, failed, current);
    },
    mostFail() {
      const current = Math.floor(now() / sliceMs);
      const recent = slices.filter(({ number }) => isRecent(number, current));
      const calls = recent.reduce((sum, slice) => sum + slice.calls, 0);
      const failures = recent.reduce((sum, slice) => sum + slice.failures, 0);
      return (
        calls >= rules.minCalls &&
        failures >= calls * rules.failureRate &&
        failingMembers >= rules.minMembers &&
        failingMembers * 2 > members.size
      );
    },
    clear() {
      for (const slice of slices) slice.number = -1;
      members.clear();
      failingMembers = 0;
      noted = [];
      notedCount = 0;
    },
  };
}
