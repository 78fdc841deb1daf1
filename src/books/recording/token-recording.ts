import type { Moment, RecordedBook, RecordedChange } from './recorded-change.js'

export const HOUR_MS = 3_600_000
/** A reader of any moment decodes the changes of this time, or this many, at most. */
const WHOLE_MS = 5 * 60_000
const WHOLE_CHANGES = 10_000

/** A part of the changes of a token; `hour`: that of the whole book that it builds on. */
export type OpenStrip = {
  readonly tokenId: string
  readonly hour: number
  readonly isWhole: boolean
  readonly changes: readonly RecordedChange[]
}

/** A span without a hole; `toMs`: the first moment that is not in it, `undefined` while it goes on. */
export type RecordedSession = { readonly tokenId: string; readonly fromMs: number; toMs: number | undefined }

export const hourOfMs = (ms: number): number => Math.floor(ms / HOUR_MS)

/**
 * What a recorder keeps of one token: the changes that are not written yet, and since when there is no hole.
 *
 *   no session   nothing is known of the book: trades and states are recorded all the same
 *   session      each change is recorded. A whole book begins it, and comes again after five minutes with changes and in
 *                each hour, so that the rows of an hour can be read without those before
 */
export class TokenRecording {
  readonly tokenId: string
  session: RecordedSession | undefined
  /** As the exchange names it; `undefined`: it has not yet. */
  conditionId: string | undefined
  #hour = 0
  #isWhole = false
  #changes: RecordedChange[] = []
  #wholeAtMs = 0
  #sinceWhole = 0

  constructor(tokenId: string) {
    this.tokenId = tokenId
  }

  /** The hour of the whole book that the next changes build on. */
  get hour(): number {
    return this.#hour
  }

  add(change: RecordedChange): void {
    if (this.#hour === 0) this.#hour = hourOfMs(change.atMs)
    this.#changes.push(change)
    this.#sinceWhole += 1
  }

  /** Begins a strip with this book, and returns the one before it. */
  begin(moment: Moment, book: RecordedBook, isKeyframe: boolean): OpenStrip | undefined {
    const before = this.take()
    this.#hour = hourOfMs(moment.atMs)
    this.#isWhole = true
    this.#wholeAtMs = moment.atMs
    this.#sinceWhole = 0
    this.#changes.push({ kind: 'snapshot', ...moment, isKeyframe, book })
    return before
  }

  /** Whether the whole book is due, of a token that changes. */
  needsWhole(nowMs: number): boolean {
    if (hourOfMs(nowMs) !== this.#hour || this.#sinceWhole >= WHOLE_CHANGES) return true
    return this.#sinceWhole > 0 && nowMs - this.#wholeAtMs >= WHOLE_MS
  }

  /** What is to be written; the strip goes on after it. */
  take(): OpenStrip | undefined {
    if (this.#changes.length === 0) return undefined
    const strip = {
      tokenId: this.tokenId,
      hour: this.#hour,
      isWhole: this.#isWhole,
      changes: this.#changes,
    }
    this.#changes = []
    this.#isWhole = false
    return strip
  }
}

/** How much memory a change takes, in levels. */
export const countKept = (change: RecordedChange): number =>
  change.kind === 'snapshot' ? 1 + change.book.bids.length + change.book.asks.length : 1
