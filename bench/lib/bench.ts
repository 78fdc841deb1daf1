/** One measured promise: ours against a yardstick, in the same run. */
export type Bench = {
  name: string
  /** What must hold, in words; `ratioMin` says it in a number. */
  promise: string
  ratioMin: number
  unit: string
  /** Starts what both sides need. */
  prepare(): Promise<Contest>
}

/** Each side does one round of work and returns its speed: more is better. */
export type Contest = {
  ours(): Promise<number>
  yardstick(): Promise<number>
  close(): Promise<void>
}
