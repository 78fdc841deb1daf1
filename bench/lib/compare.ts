import type { Bench, Contest, Figures, Rounds, Trial } from './bench.js'

const WARM_UP_ROUNDS = 3
const ROUNDS = 15

export type Spread = { median: number; min: number; max: number }
export type Comparison = {
  ours: Spread
  yardstick: Spread
  ratio: number
  rounds: number
  figures?: Figures
}

/** The ratio is the median of the ratios of neighbouring rounds. */
export async function compare(
  contest: Contest | Trial,
  onRound: (text: string) => void,
): Promise<Comparison> {
  const { ours, yardstick, figures } = await ('run' in contest
    ? contest.run(onRound)
    : runAlternately(contest, onRound))
  const ratios = ours.map((speed, round) => speed / (yardstick[round] ?? Number.NaN))
  return {
    ours: spread(ours),
    yardstick: spread(yardstick),
    ratio: spread(ratios).median,
    rounds: ours.length,
    ...(Object.keys(figures).length > 0 && { figures }),
  }
}

/**
 * Warms both sides up, then runs them alternately, so that whatever else the machine does slows both.
 */
async function runAlternately(contest: Contest, onRound: (text: string) => void): Promise<Rounds> {
  onRound('warming up')
  for (let round = 1; round <= WARM_UP_ROUNDS; round++) {
    await contest.ours()
    await contest.yardstick()
  }
  const ours: number[] = []
  const yardstick: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    onRound(`round ${round} of ${ROUNDS}`)
    ours.push(await contest.ours())
    yardstick.push(await contest.yardstick())
  }
  return { ours, yardstick, figures: {} }
}

export function showComparison({ ratioMin, unit }: Bench, comparison: Comparison): string {
  const line = (name: string, { median, min, max }: Spread) =>
    `  ${name.padEnd(10)} ${show(median)} ${unit}  (${show(min)} – ${show(max)})`
  const verdict = comparison.ratio >= ratioMin ? 'kept' : 'MISSED'
  return [
    line('ours', comparison.ours),
    line('yardstick', comparison.yardstick),
    ...Object.entries(comparison.figures ?? {}).map(([name, value]) => `  ${name}: ${value}`),
    `  ratio      ${comparison.ratio.toFixed(2)}, promised at least ${Number(ratioMin.toFixed(2))}: ${verdict}\n`,
  ].join('\n')
}

/** A figure with a bound of its own beside the ratio. */
export const showBound = (value: number, max: number, unit: string): string =>
  `${value.toFixed(value < 10 ? 2 : 0)}${unit} (${max}${unit} at most): ${value <= max ? 'kept' : 'MISSED'}`

/** `share`: 0.99 for the 99th percentile. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  return { median: at(Math.floor(sorted.length / 2)), min: at(0), max: at(sorted.length - 1) }
}

const show = (value: number): string => Math.round(value).toLocaleString('en-US')
