import { describe, expect, type TestContext, test } from 'vitest'
import type { Token } from '../../../sim/universe/market.js'
import { counts } from '../../../test/counts.js'
import { groupBy } from '../../lib/group-by.js'
import { selectSpansWithin } from '../history/queries.js'
import type { BookChange, LiveBook } from '../live-book.js'
import { presentBook } from '../present.js'
import { createExchange, type Exchange } from '../test-exchange.js'
import { readRecordedEvents } from './read-events.js'
import { findRecordedToken, readBookAt } from './read-recorded.js'
import type { RecordedEvent } from './recorded-change.js'
import { ReplayedBook } from './replayed-book.js'
import { openRecording, type TestRecording } from './test-recording.js'

const TOKENS = 8

type Levels = {
  bids: readonly { price: string; size: string }[]
  asks: readonly { price: string; size: string }[]
}

const textOf = ({ bids, asks }: Levels): string =>
  [bids, asks].map((levels) => levels.map(({ price, size }) => `${price}:${size}`).join(' ')).join(' | ')

function trueText({ universe }: Exchange, token: Token): string {
  const { bids = [], asks = [] } = universe.books.book(token) ?? {}
  const toLevels = (levels: typeof bids) =>
    levels.map(({ priceE4, sizeE2 }) => ({ price: String(priceE4 / 10_000), size: String(sizeE2 / 100) }))
  return textOf({ bids: toLevels(bids), asks: toLevels(asks) })
}

async function bookAt(
  { sql }: Pick<TestRecording, 'sql'>,
  tokenId: string,
  atMs: number,
): Promise<LiveBook | undefined> {
  const token = await findRecordedToken(sql, tokenId)
  return token === undefined ? undefined : readBookAt(sql, token, atMs)
}

const spansOf = ({ sql }: Pick<TestRecording, 'sql'>, tokenId: string) =>
  selectSpansWithin(sql, [tokenId], { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, limit: 10 })

async function readAll(sql: TestRecording['sql'], query: Parameters<typeof readRecordedEvents>[1]) {
  const events: RecordedEvent[] = []
  for await (const batch of readRecordedEvents(sql, query)) events.push(...batch)
  return events
}

const open = (
  context: TestContext,
  exchange: Exchange,
  options: Partial<Parameters<typeof openRecording>[1]> = {},
) => openRecording(context, { exchange, tokens: exchange.tokens.slice(0, TOKENS), ...options })

describe('recorded books', () => {
  test('are those of the exchange at every moment, before and after they are packed', async (context) => {
    const exchange = createExchange({ intensity: 10 })
    const recording = await open(context, exchange)
    const moments: { token: Token; atMs: number; text: string; shown: unknown }[] = []
    for (let moment = 0; moment < counts({ short: 12, long: 1_250 }); moment++) {
      await recording.pass(1 + (moment % 7))
      for (const token of recording.tokens) {
        const atMs = exchange.universe.nowMs
        const book = recording.books.get(token.decimal)
        const shown = withoutHash(book as LiveBook)
        moments.push({ token, atMs, text: trueText(exchange, token), shown: structuredClone(shown) })
      }
    }
    exchange.universe.advance(exchange.universe.nowMs + 1_000)
    await recording.untilWritten()
    const compare = async () => {
      for (const { token, atMs, text, shown } of moments) {
        const book = await bookAt(recording, token.decimal, atMs)
        expect(book && textOf(book)).toBe(text)
        expect(withoutHash(book as LiveBook)).toEqual(shown)
      }
    }
    await compare()
    await recording.stop()
    await recording.pack()
    expect(await recording.sql`select from book_tail`).toHaveLength(0)
    await compare()
  }, 900_000)

  test('through faults, restarts and lost databases: true, or a gap', async (context) => {
    // Without trades: each brings a whole book, which would hide that a change was lost before it.
    const exchange = createExchange({ intensity: 0.000_01 })
    const { universe } = exchange
    const recording = await open(context, exchange, { timings: { refreshMs: 200 } })
    const moments: { token: Token; atMs: number; possible: ReadonlySet<string>; isMixed: boolean }[] = []
    let isMixed = false
    const note = (possible: Map<Token, Set<string>>) => {
      for (const token of recording.tokens) {
        const known = possible.get(token) ?? new Set()
        possible.set(token, known.add(trueText(exchange, token)))
        moments.push({ token, atMs: universe.nowMs, possible: new Set(known), isMixed })
      }
    }
    const passQuietly = async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        await recording.pass(1)
        note(new Map())
      }
    }
    /** Each book that is received late must be one that existed since the fault began. */
    const passBroken = async (seconds: number) => {
      const possible = new Map<Token, Set<string>>()
      note(possible)
      for (let second = 0; second < seconds; second++) {
        universe.advance(universe.nowMs + 1_000)
        for (let iteration = 0; iteration < 20; iteration++) await new Promise(setImmediate)
        note(possible)
      }
    }
    const restart = async (end: () => Promise<void>) => {
      await end()
      await passBroken(3)
      recording.start()
      await passBroken(2)
    }
    const loseSingleMessages = async () => {
      isMixed = true
      recording.breakWith({ mode: 'silent', rate: 0.4 })
    }
    const faults: readonly (() => Promise<void>)[] = [
      async () => recording.breakWith({ mode: 'drop' }),
      async () => recording.breakWith({ mode: 'garbage', rate: 0.3 }),
      loseSingleMessages,
      () => restart(recording.stop),
      () => restart(recording.kill),
      async () => recording.loseDatabase(),
    ]
    for (let round = 0; round < counts({ short: 6, long: 150 }); round++) {
      await passQuietly(3)
      await faults[round % faults.length]?.()
      await passBroken(4)
      recording.breakWith({ mode: 'off' })
      recording.findDatabase()
      isMixed = false
      await recording.untilTrue(recording.tokens)
      // A change that was lost without a trace is found when the book is read again.
      await new Promise((resolve) => setTimeout(resolve, 500))
      await recording.untilTrue(recording.tokens)
      universe.advance(universe.nowMs + 1_000)
      await recording.untilWritten()
      if (round % 4 === 3) await recording.pack()
    }
    let recorded = 0
    for (const { token, atMs, possible, isMixed } of moments) {
      const book = await bookAt(recording, token.decimal, atMs)
      if (book === undefined) continue
      recorded += 1
      const text = textOf(book)
      if (isMixed && isMixOf(text, possible)) continue
      expect([...possible], `${token.decimal} at ${atMs}`).toContain(text)
    }
    expect(recorded / moments.length).toBeGreaterThan(0.3)
    expect(recorded / moments.length).toBeLessThan(0.9)
  }, 600_000)

  test('that the database could not take in time are a gap, and the next recording goes on', async (context) => {
    const exchange = createExchange()
    const recording = await open(context, exchange, { limits: { heldMax: 300 } })
    await recording.pass(2)
    const lostMs = exchange.universe.nowMs
    await recording.untilWritten()
    recording.loseDatabase()
    const ended = recording.ended().catch((error: unknown) => error)
    for (let second = 0; second < 60; second++) await recording.pass(1)
    expect(String(await ended)).toContain('away for too long')
    recording.findDatabase()
    const backMs = exchange.universe.nowMs
    recording.start()
    await recording.pass(5)
    exchange.universe.advance(exchange.universe.nowMs + 1_000)
    await recording.untilWritten()
    for (const tokenId of recording.tokenIds) {
      const [before, after, ...more] = await spansOf(recording, tokenId)
      expect(before?.toMs).toBeGreaterThanOrEqual(lostMs)
      expect(before?.toMs).toBeLessThan(backMs)
      expect(after?.fromMs).toBeGreaterThanOrEqual(backMs)
      expect(more).toEqual([])
    }
  })
})

describe('events of a range', () => {
  test('are what the live books published, in their order, for any number of tokens', async (context) => {
    const exchange = createExchange({ intensity: 20 })
    const recording = await open(context, exchange)
    const published: ReturnType<typeof comparable>[] = []
    await recording.pass(3)
    const fromMs = exchange.universe.nowMs + 1
    const unsubscribe = recording.books.subscribe((changes) => published.push(...changes.map(comparable)))
    await recording.pass(20)
    recording.breakWith({ mode: 'drop', seconds: 0.05 })
    for (let second = 0; second < 5; second++) await recording.pass(1)
    // What is received from now on is after the range.
    unsubscribe()
    const toMs = exchange.universe.nowMs + 1
    exchange.universe.advance(toMs)
    await recording.untilWritten()
    await recording.pack()
    const query = { tokenIds: recording.tokenIds, fromMs, toMs, isDoubtIncluded: true }
    const events = await readAll(recording.sql, query)
    const replayed = new Map(recording.tokenIds.map((tokenId) => [tokenId, new ReplayedBook(tokenId)]))
    const replay = events.flatMap((event) => {
      const changes = replayed.get(event.tokenId)?.apply(event).map(comparable) ?? []
      return event.kind === 'begin' ? [] : changes
    })
    const grouped = (changes: typeof published) => groupBy(changes, ({ tokenId }) => tokenId)
    expect(published.length).toBeGreaterThan(100)
    expect(grouped(replay)).toEqual(grouped(published))
    // Between tokens the order is that of the messages.
    const firsts = events.filter(({ kind }) => kind !== 'begin').map(({ atMs, ordinal }) => [atMs, ordinal])
    expect(firsts).toEqual(firsts.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d))
  })

  test('say what is missing, and what came before the range is its first book', async (context) => {
    const exchange = createExchange()
    const recording = await open(context, exchange)
    const [tokenId = ''] = recording.tokenIds
    const startMs = exchange.universe.nowMs
    await recording.pass(4)
    const middleMs = exchange.universe.nowMs
    const text = textOf(recording.books.get(tokenId) as LiveBook)
    await recording.pass(4)
    exchange.universe.advance(exchange.universe.nowMs + 1_000)
    await recording.untilWritten()
    await recording.stop()
    const endMs = exchange.universe.nowMs
    const before = { fromMs: startMs - 5_000, toMs: endMs + 5_000 }
    const events = await readAll(recording.sql, { tokenIds: [tokenId, '1'], ...before })
    const gaps = events.filter(({ kind }) => kind === 'gap')
    expect(gaps.map(({ tokenId: id, atMs, ...gap }) => [id, atMs, 'untilMs' in gap && gap.untilMs])).toEqual([
      [tokenId, before.fromMs, startMs],
      ['1', before.fromMs, before.toMs],
      [tokenId, endMs, before.toMs],
    ])
    const [begin] = await readAll(recording.sql, { tokenIds: [tokenId], fromMs: middleMs + 1, toMs: endMs })
    expect(begin?.kind === 'begin' && textOf(begin.book)).toBe(text)
    expect(await spansOf(recording, tokenId)).toEqual([{ tokenId, fromMs: startMs, toMs: endMs }])
    expect(await bookAt(recording, tokenId, startMs - 1)).toBeUndefined()
    expect(await bookAt(recording, tokenId, endMs)).toBeUndefined()
    await expect(
      readAll(recording.sql, { ...before, tokenIds: Array.from({ length: 1_001 }, (_, id) => String(id)) }),
    ).rejects.toThrow('more than 1000 tokens')
  })
})

/**
 * Whether each level of a book is one of these books'. A lost message is not found out when all its levels have changed
 * again before the exchange sends the whole book: until then each level is as it was at some moment.
 */
function isMixOf(text: string, books: ReadonlySet<string>): boolean {
  const levelsOf = (book: string) => {
    const [bids = '', asks = ''] = book.split(' | ')
    const ofSide = (side: string, levels: string) =>
      levels === '' ? [] : levels.split(' ').map((level) => `${side} ${level}`)
    return new Set([...ofSide('bid', bids), ...ofSide('ask', asks)])
  }
  const levels = levelsOf(text)
  const all = [...books].map(levelsOf)
  const isInAll = (level: string) => all.every((others) => others.has(level))
  return (
    [...levels].every((level) => all.some((others) => others.has(level))) &&
    all.every((others) => [...others].every((level) => levels.has(level) || !isInAll(level)))
  )
}

/** It is recorded with whole books alone. */
function withoutHash(book: LiveBook) {
  const { hash: _, ...shown } = presentBook(book, undefined)
  return shown
}

/** A change as it is at this moment: its book goes on changing. */
function comparable(change: BookChange): { tokenId: string } {
  if (change.kind === 'details') return Object.assign({ tokenId: change.book.tokenId }, { kind: change.kind })
  if (change.kind === 'state') return Object.assign({ ...change }, { rightUntilMs: undefined })
  if (change.kind !== 'snapshot') return change
  const { tokenId } = change.book
  return Object.assign({ tokenId }, { kind: change.kind, text: textOf(change.book) })
}
