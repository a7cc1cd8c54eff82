/** @returns cancels the call */
export type After = (ms: number, work: () => void) => () => void;

export const afterTimeout: After = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** At the end of this round of the event loop. @returns cancels the call */
export type AfterRound = (work: () => void) => () => void;

export const afterImmediate: AfterRound = (work) => {
  const immediate = setImmediate(work);
  return () => clearImmediate(immediate);
};
