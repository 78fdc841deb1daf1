import type { Sql } from '../../store/connection.js'
import { selectSpans } from './queries.js'
import { findRecordedToken, type RecordedRange, type RecordedToken, readSpan } from './read-recorded.js'
import {
  copyBook,
  isBefore,
  type RecordedChange,
  type RecordedEvent,
  type RecordedLevel,
} from './recorded-change.js'
import { ReplayedBook } from './replayed-book.js'

/** Of more tokens the strips that are read at the same time would not fit into memory. */
export const RECORDED_TOKENS_MAX = 1_000
const SPANS_MAX = 1_000
/** Events of one token that are in memory, and events that are handed on at once. */
const TOKEN_EVENTS_MAX = 256
const EVENTS_MAX = 1_000

export type RecordedQuery = RecordedRange & {
  /** Decimal ids, at most `RECORDED_TOKENS_MAX`. */
  tokenIds: readonly string[]
  /**
   * Also what the live books published between the loss of a change and its discovery, as clients of that time got it. A book is
   * then announced as stale when it was found out, and gaps are those of the recorder alone.
   */
  isDoubtIncluded?: boolean | undefined
}

/**
 * All events of these tokens in a range, in the order in which they were received. Tokens that were never recorded are
 * a gap as long as the range. Memory: the strips of one row for each token.
 */
export async function* readRecordedEvents(sql: Sql, query: RecordedQuery): AsyncGenerator<RecordedEvent[]> {
  const { tokenIds, ...range } = query
  const unique = [...new Set(tokenIds)]
  if (unique.length > RECORDED_TOKENS_MAX) throw new RangeError(`more than ${RECORDED_TOKENS_MAX} tokens`)
  const sources: Source[] = []
  try {
    for (const tokenId of unique) {
      const source = new Source(readTokenEvents(sql, tokenId, range), sources.length)
      if (await source.load()) sources.push(source)
    }
    yield* merge(sources)
  } finally {
    await Promise.all(sources.map((source) => source.close()))
  }
}

/** The events of one token, and the next of them. */
class Source {
  readonly index: number
  readonly #batches: AsyncGenerator<RecordedEvent[]>
  #batch: readonly RecordedEvent[] = []
  #next = 0

  constructor(batches: AsyncGenerator<RecordedEvent[]>, index: number) {
    this.#batches = batches
    this.index = index
  }

  get head(): RecordedEvent | undefined {
    return this.#batch[this.#next]
  }

  skip(): void {
    this.#next += 1
  }

  /** Returns whether there is one more event. */
  async load(): Promise<boolean> {
    while (this.head === undefined) {
      const { value, done } = await this.#batches.next()
      if (done === true) return false
      this.#batch = value
      this.#next = 0
    }
    return true
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined)
  }
}

/** A k-way merge: always the earliest head; at the same moment, that of the token which the query names first. */
async function* merge(sources: readonly Source[]): AsyncGenerator<RecordedEvent[]> {
  const heap = new SourceHeap(sources)
  let events: RecordedEvent[] = []
  for (let first = heap.first; first !== undefined; first = heap.first) {
    if (first.head !== undefined) events.push(first.head)
    first.skip()
    const hasMore = first.head !== undefined || (await first.load())
    if (hasMore) heap.settleFirst()
    else heap.removeFirst()
    if (events.length < EVENTS_MAX) continue
    yield events
    events = []
  }
  if (events.length > 0) yield events
}

/** A binary heap: the source with the earliest head is on top. */
class SourceHeap {
  readonly #sources: Source[]

  constructor(sources: readonly Source[]) {
    this.#sources = sources.toSorted((a, b) => (comesFirst(a, b) ? -1 : 1))
  }

  get first(): Source | undefined {
    return this.#sources[0]
  }

  removeFirst(): void {
    const last = this.#sources.pop()
    if (last === undefined || this.#sources.length === 0) return
    this.#sources[0] = last
    this.settleFirst()
  }

  /** Its head is another one now. */
  settleFirst(): void {
    const sources = this.#sources
    for (let at = 0; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        const [one, other] = [sources[child], sources[least]]
        if (one !== undefined && other !== undefined && comesFirst(one, other)) least = child
      }
      const [upper, lower] = [sources[at], sources[least]]
      if (least === at || upper === undefined || lower === undefined) return
      sources[at] = lower
      sources[least] = upper
      at = least
    }
  }
}

function comesFirst(a: Source, b: Source): boolean {
  if (a.head === undefined || b.head === undefined) return a.head !== undefined
  if (isBefore(a.head, b.head)) return true
  return !isBefore(b.head, a.head) && a.index < b.index
}

/** The same of one token, in batches of a few hundred. */
async function* readTokenEvents(
  sql: Sql,
  tokenId: string,
  { fromMs, toMs, isDoubtIncluded }: Omit<RecordedQuery, 'tokenIds'>,
): AsyncGenerator<RecordedEvent[]> {
  const token = await findRecordedToken(sql, tokenId)
  let atMs = fromMs
  for (; token !== undefined; ) {
    const spans = await selectSpans(sql, token.id, { fromMs: atMs, toMs, limit: SPANS_MAX, isDoubtIncluded })
    for (const span of spans) {
      const inRange = {
        ...span,
        fromMs: Math.max(span.fromMs, atMs),
        toMs: Math.min(span.toMs, toMs),
      }
      if (inRange.fromMs > atMs) yield [toGap(token, atMs, inRange.fromMs)]
      yield* readSpanEvents(sql, token, inRange, span.fromMs < atMs)
      atMs = inRange.toMs
    }
    if (spans.length < SPANS_MAX) break
  }
  if (atMs < toMs) yield [toGap(token ?? { tokenId, conditionId: undefined }, atMs, toMs)]
}

/** `isCut`: the span begins before it; the book of its first moment is put together from what came before. */
async function* readSpanEvents(
  sql: Sql,
  token: RecordedToken,
  span: { recording: number; fromMs: number; toMs: number },
  isCut: boolean,
): AsyncGenerator<RecordedEvent[]> {
  const { tokenId, conditionId } = token
  const before = new ReplayedBook(tokenId)
  let hasBegun = false
  for await (const changes of readSpan(sql, token, span)) {
    let batch: RecordedEvent[] = []
    for (const event of toEvents(token, changes)) {
      if (event.atMs < span.fromMs) {
        before.apply(event)
        continue
      }
      if (!hasBegun) {
        const isWhole = event.kind === 'change' && event.change.kind === 'snapshot'
        // What came in the same millisecond before the book that the span begins with belongs to the gap.
        if (!isCut && !isWhole) continue
        hasBegun = true
        if (isCut) batch.push(...toBegin(token, span.fromMs, before))
      }
      batch.push(event)
      if (batch.length < TOKEN_EVENTS_MAX) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }
  if (hasBegun || span.fromMs >= span.toMs) return
  if (isCut && before.book.state !== 'loading') yield toBegin(token, span.fromMs, before)
  else yield [{ kind: 'gap', tokenId, conditionId, atMs: span.fromMs, ordinal: -1, untilMs: span.toMs }]
}

/** Before everything else of its millisecond. */
function toBegin(
  { tokenId, conditionId }: RecordedToken,
  atMs: number,
  { book }: ReplayedBook,
): RecordedEvent[] {
  const of = { tokenId, conditionId, atMs, ordinal: -1 }
  const begin: RecordedEvent = { kind: 'begin', ...of, book: copyBook(book) }
  if (book.state === 'live') return [begin]
  const change = {
    kind: 'state' as const,
    atMs,
    ordinal: -1,
    state: 'stale' as const,
    reason: book.staleReason,
  }
  return [begin, { kind: 'change', ...of, change }]
}

const toGap = (
  { tokenId, conditionId }: Pick<RecordedToken, 'tokenId' | 'conditionId'>,
  atMs: number,
  untilMs: number,
): RecordedEvent => ({ kind: 'gap', tokenId, conditionId, atMs, ordinal: -1, untilMs })

/** The levels of one message become one event. */
function* toEvents(
  { tokenId, conditionId }: RecordedToken,
  changes: readonly RecordedChange[],
): Generator<RecordedEvent> {
  let levels: RecordedLevel[] = []
  const ofToken = { tokenId, conditionId }
  const flush = function* (): Generator<RecordedEvent> {
    const [first] = levels
    if (first === undefined) return
    const { atMs, ordinal } = first
    yield { kind: 'levels', ...ofToken, atMs, ordinal, changes: levels }
    levels = []
  }
  for (const change of changes) {
    if (change.kind !== 'level') {
      yield* flush()
      const { atMs, ordinal } = change
      yield { kind: 'change', ...ofToken, atMs, ordinal, change }
      continue
    }
    if (!change.isContinued) yield* flush()
    levels.push(change)
  }
  yield* flush()
}
