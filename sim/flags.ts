import { type Command, InvalidArgumentError } from 'commander'

/** What decides which universe it is and how its time passes. */
export type SimFlags = { seed: number; history?: number | undefined; speed: number }

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 }

export function addSimFlags(command: Command): Command {
  return command
    .option('--seed <number>', 'decides everything that happens in the universe', readInteger, 1)
    .option(
      '--history <duration>',
      'how much past to generate, like 90m, 12h or 3d (default: 12h)',
      readDuration,
    )
    .option('--speed <factor>', 'simulated seconds per second', readFactor, 1)
}

export const HISTORY_MS = 12 * UNITS_MS.h

/** As `--history` takes it. */
export function showDuration(ms: number): string {
  const unit = ms % UNITS_MS.d === 0 ? 'd' : ms % UNITS_MS.h === 0 ? 'h' : 'm'
  return `${ms / UNITS_MS[unit]}${unit}`
}

function readInteger(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export function readFactor(text: string): number {
  const factor = Number(text)
  if (factor > 0 && factor <= 1_000) return factor
  throw new InvalidArgumentError('It must be a number above 0, up to 1000.')
}

function readDuration(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  if (digits === '') throw new InvalidArgumentError('Write it like 90m, 12h or 3d.')
  return Number(digits) * UNITS_MS[unit as keyof typeof UNITS_MS]
}
