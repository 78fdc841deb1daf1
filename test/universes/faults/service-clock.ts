import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** How the clock of a service shows time. Its file has this as JSON, and the service reads it several times a second. */
export type ClockReading = {
  /** What the clock shows when the real one shows `startedMs`. */
  originMs: number
  startedMs: number
  /** How many of its milliseconds pass in a real one. */
  speed: number
  /** What all jumps together have added. */
  jumpMs: number
}

/**
 * The clock of one service process and of what it starts. Timers stay real, and so does the clock of a thread
 * that gets options of its own: the reader of block ranges, which never looks at it.
 */
export type ServiceClock = {
  /** Variables for the environment of the process. */
  readonly env: { readonly [name: string]: string }
  /** What the process sees, once it has read of the last jump. */
  now(): number
  /** Moves the clock by this many milliseconds, also while the process runs. */
  jump(ms: number): void
  remove(): void
}

type ServiceClockOptions = Pick<ClockReading, 'originMs' | 'startedMs' | 'speed'>

/** Where `clock-preload.ts` finds the file of the reading. */
export const CLOCK_FILE_VARIABLE = 'UNIVERSE_CLOCK_FILE'

const ROOT = resolve(import.meta.dirname.replace(/\/dist(?=\/test\/)/, ''), '../../..')
const PRELOAD = join(ROOT, 'dist/test/universes/faults/clock-preload.js')

export const readClock = ({ originMs, startedMs, speed, jumpMs }: ClockReading, realMs: number): number =>
  Math.floor(originMs + (realMs - startedMs) * speed + jumpMs)

export function createServiceClock(options: ServiceClockOptions): ServiceClock {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-clock-'))
  const file = join(folder, 'clock.json')
  let reading: ClockReading = { ...options, jumpMs: 0 }
  // Renamed into its place: a reader sees the old reading or the new one, never half of one.
  const write = () => {
    writeFileSync(`${file}.new`, JSON.stringify(reading))
    renameSync(`${file}.new`, file)
  }
  write()
  return {
    env: { [CLOCK_FILE_VARIABLE]: file, NODE_OPTIONS: `--import=${PRELOAD}` },
    now: () => readClock(reading, Date.now()),
    jump: (ms) => {
      reading = { ...reading, jumpMs: reading.jumpMs + ms }
      write()
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
