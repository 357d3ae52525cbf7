/** The one source of time, so that tests can hold it in their hands. */
export interface Clock {
  /** Wall time, for what people and other machines read. */
  now(): Date
  /** Milliseconds that never run backwards, for durations and limits. */
  monotonicMs(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
}
