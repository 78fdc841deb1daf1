/** How the universe's time passes: since when it runs, how far ahead it was then, and how fast it goes. */
export type SimTime = { startedMs: number; aheadMs: number; speed: number }

/** The present of the universe when the real clock shows `realMs`. */
export const simulatedMs = ({ startedMs, aheadMs, speed }: SimTime, realMs: number): number =>
  realMs + aheadMs + (realMs - startedMs) * (speed - 1)
