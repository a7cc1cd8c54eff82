/** In milliseconds. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Monotonic milliseconds, for durations only. Times that are stored are epoch milliseconds, of `now`. */
export type Clock = () => number;
