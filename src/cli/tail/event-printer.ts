import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { formatLines } from './event-line.js'
import type { TailEvent } from './follow-stream.js'

/** A terminal, a pipe or a file. */
type Output = Writable & {
  isTTY?: boolean
  columns?: number
  hasColors?(): boolean
}

type PrinterOptions = {
  isJson: boolean
  /** This many events are printed, then `onLast` is called. */
  left: number
  onLast(): void
}

/** Prints one line for each event. */
export class EventPrinter {
  readonly #out: Output
  readonly #isJson: boolean
  readonly #onLast: () => void
  #left: number

  constructor(out: Output, { isJson, left, onLast }: PrinterOptions) {
    this.#out = out
    this.#isJson = isJson
    this.#left = left
    this.#onLast = onLast
  }

  /** `false`: the output has not taken what was printed before. */
  print(event: TailEvent, sentMs?: number): boolean {
    if (this.#left <= 0) return true
    this.#left--
    const text = this.#isJson ? JSON.stringify(event) : this.#format(event, sentMs)
    const isReady = this.#out.write(`${text}\n`)
    if (this.#left <= 0) this.#onLast()
    return isReady
  }

  async untilReady(): Promise<void> {
    if (this.#out.writableNeedDrain) await once(this.#out, 'drain').catch(() => undefined)
  }

  #format(event: TailEvent, sentMs: number | undefined): string {
    const { isTTY = false, columns } = this.#out
    const lines = formatLines(event, {
      hasColour: isTTY && this.#out.hasColors?.() === true,
      width: isTTY ? columns : undefined,
      sentMs,
    })
    return lines.join('\n')
  }
}
