/** One measured promise: ours against a yardstick, in the same run. */
export type Bench = {
  name: string
  /** What must hold, in words; `ratioMin` says it in a number. */
  promise: string
  ratioMin: number
  unit: string
  /** Starts what both sides need. */
  prepare(): Promise<Contest | Trial>
}

/** Each side does one round of work and returns its speed: more is better. */
export type Contest = {
  ours(): Promise<number>
  yardstick(): Promise<number>
  close(): Promise<void>
}

/** Work that grows from round to round and cannot be repeated: it measures both sides itself. */
export type Trial = {
  run(onRound: (text: string) => void): Promise<Rounds>
  close(): Promise<void>
}

/** The speeds of both sides by round, and whatever else the run has shown. */
export type Rounds = { ours: number[]; yardstick: number[]; figures: Figures }

export type Figures = Record<string, string | number>
