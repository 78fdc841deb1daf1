import { type Clock, systemClock } from '../core/clock.js'

export type Output = {
  isTTY?: boolean | undefined
  /** Width of the terminal. */
  columns?: number | undefined
  write(text: string): unknown
}

type ProgressOptions = {
  /** The work, as in `Reading the chain`, and the unit of its count, as in `blocks`; unit '': only the percentage. */
  title: string
  unit: string
  total: number
  /** What was done before this run; it does not count for the rate. */
  from?: number | undefined
  out?: Output | undefined
  clock?: Clock | undefined
  /** In a file or a pipe a line that often; by default none at all. */
  linesMs?: number | undefined
}

/** So that most lines fit into the usual 80 columns, too. */
const barCells = (columns = 100): number => (columns < 100 ? 16 : 30)
/** Updates at a shorter interval could not be read. */
const TERMINAL_MS = 100
/** Rate and time left are those of the last seconds: the last part of the work may be far slower than all before it. */
const RATE_MS = 10_000

type Mark = { ms: number; done: number }

/**
 * How far long work has come, how fast it is and when it will be done: on a terminal one line that
 * vanishes at the end. It never goes back and never beyond its total.
 */
export class Progress {
  readonly #options: ProgressOptions
  readonly #out: Output
  readonly #clock: Clock
  readonly #everyMs: number
  /** Oldest first: where the work stood at `RATE_MS` before now, or at its start, and at each line since. */
  readonly #marks: Mark[]
  #shownMs: number
  #done: number

  constructor(options: ProgressOptions) {
    const {
      out = process.stderr,
      clock = systemClock,
      linesMs = Number.POSITIVE_INFINITY,
      from = 0,
    } = options
    this.#options = options
    this.#out = out
    this.#clock = clock
    const startMs = clock.now()
    this.#done = Math.min(from, options.total)
    this.#marks = [{ ms: startMs, done: this.#done }]
    this.#everyMs = out.isTTY === true ? TERMINAL_MS : linesMs
    this.#shownMs = out.isTTY === true ? Number.NEGATIVE_INFINITY : startMs
  }

  /** `note` stands at the end of the line. */
  show(done: number, note = ''): void {
    this.#done = Math.max(this.#done, Math.min(done, this.#options.total))
    const nowMs = this.#clock.now()
    if (nowMs - this.#shownMs < this.#everyMs) return
    this.#shownMs = nowMs
    this.#draw(note)
  }

  /** The work is done: on a terminal the bar is shown full, and vanishes. */
  complete(): void {
    this.#done = this.#options.total
    if (this.#out.isTTY === true) this.#draw()
    this.end()
  }

  end(): void {
    if (this.#out.isTTY === true) this.#out.write('\r\x1b[K')
  }

  #draw(note = ''): void {
    const line = this.#line(note, this.#perSecond())
    const { isTTY, columns } = this.#out
    // A line that wraps cannot be taken away: its first part would stay and scroll.
    const shown = isTTY === true ? `\r\x1b[K${line.slice(0, columns && columns - 1)}` : `${line}\n`
    this.#out.write(shown)
  }

  #perSecond(): number {
    const now = { ms: this.#clock.now(), done: this.#done }
    this.#marks.push(now)
    while (now.ms - (this.#marks[1]?.ms ?? now.ms) >= RATE_MS) this.#marks.shift()
    const { ms, done } = this.#marks[0] ?? now
    return now.ms > ms ? ((now.done - done) / (now.ms - ms)) * 1_000 : 0
  }

  #line(note: string, perSecond: number): string {
    const { title, unit, total } = this.#options
    const done = this.#done
    const share = total === 0 ? 1 : done / total
    const cells = barCells(this.#out.columns)
    const filled = Math.floor(share * cells)
    const bar = '█'.repeat(filled) + '░'.repeat(cells - filled)
    const isMoving = perSecond > 0 && done < total
    const left = isMoving ? `ETA ${formatSeconds(Math.max(1, (total - done) / perSecond))}` : ''
    const parts = [
      title,
      this.#out.isTTY === true ? bar : '',
      `${Math.floor(share * 100)} %`,
      ...(unit === ''
        ? []
        : [`${formatCount(done)} of ${formatCount(total)} ${unit}`, `${formatCount(perSecond)}/s`]),
      left,
      note,
    ]
    return parts.filter((part) => part !== '').join('  ')
  }
}

export const formatCount = (count: number): string => Math.round(count).toLocaleString('en-US')

/** Two units at most: `45s`, `3m 20s`, `2h 05m`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  if (whole < 60) return `${whole}s`
  if (whole < 3_600) return `${Math.floor(whole / 60)}m ${twoDigits(whole % 60)}s`
  const minutes = Math.round(whole / 60)
  return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`
}
