import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { WebSocket } from 'ws'
import { openPeerServer } from '../../test/peer-server.js'
import { until } from '../../test/until.js'
import { systemClock } from '../core/clock.js'
import { ClobSocket } from '../upstreams/clob/socket.js'
import { createUpstreamMetrics } from '../upstreams/transport/metrics.js'
import { BOOK_TIMINGS, BookSocket } from './book-socket.js'
import { type BookChange, LEVELS_MAX } from './live-book.js'

const MARKET = '0xab'
const NEVER_MS = 1_000_000_000
const TIMINGS = { loadMs: NEVER_MS, doubtMs: 0, retryMs: 40, retryMsMax: 80 }

type Rows = [price: string, size: string][]

const bookFrame = (tokenId: string, bids: Rows, asks: Rows) => ({
  event_type: 'book',
  market: MARKET,
  asset_id: tokenId,
  timestamp: '1',
  hash: 'h',
  bids: bids.map(([price, size]) => ({ price, size })),
  asks: asks.map(([price, size]) => ({ price, size })),
})

type Change = { tokenId: string; price: string; size: string; side: string; best?: Best }
type Best = [bid: string, ask: string]

const changeFrame = (...changes: Change[]) => ({
  event_type: 'price_change',
  market: MARKET,
  timestamp: '2',
  price_changes: changes.map(({ tokenId, best: [best_bid, best_ask] = ['', ''], ...change }) => ({
    asset_id: tokenId,
    hash: 'h2',
    best_bid,
    best_ask,
    ...change,
  })),
})

/** A book socket at an exchange that says only what the test makes it say, except to subscriptions. */
async function open(timings: Partial<typeof BOOK_TIMINGS> = {}) {
  const server = await openPeerServer()
  const requests: { ids: string[]; operation: string | undefined }[] = []
  const answers = new Map<string, object>()
  let absent: string[] = []
  let peer: WebSocket | undefined
  server.onPeer((joined) => {
    peer = joined
    joined.on('message', (data) => {
      const text = String(data)
      if (text === 'PING') return joined.send('PONG')
      const { assets_ids: ids, operation } = JSON.parse(text)
      requests.push({ ids, operation })
      const books = ids.flatMap((id: string) => answers.get(id) ?? [])
      if (operation !== 'unsubscribe' && books.length > 0) joined.send(JSON.stringify(books))
    })
  })
  const changes: BookChange[] = []
  const announced: string[] = []
  const socket = new BookSocket({
    connect: (listener) =>
      new ClobSocket({
        ...listener,
        url: server.url,
        clock: systemClock,
        metrics: createUpstreamMetrics(new Registry()),
        log: pino({ level: 'silent' }),
        tuning: { timings: { backoff: { baseMs: 2, maxMs: 20 } }, silentAfterMs: 400 },
      }),
    findAbsent: async (tokenIds) => tokenIds.filter((tokenId) => absent.includes(tokenId)),
    onChanges: (more) => changes.push(...more),
    onNewMarket: (tokenIds) => announced.push(...tokenIds),
    clock: systemClock,
    timings: { ...BOOK_TIMINGS, ...TIMINGS, ...timings },
  })
  const checking = setInterval(() => socket.check(), 5)
  onTestFinished(() => {
    clearInterval(checking)
    socket.close()
  })
  await until(() => peer !== undefined && socket.isOpen)
  return {
    socket,
    server,
    changes,
    announced,
    requests,
    answers,
    setAbsent: (ids: string[]) => {
      absent = ids
    },
    say: (frame: object | string) => peer?.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    kinds: () => changes.map((change) => change.kind),
    states: () => changes.flatMap((change) => (change.kind === 'state' ? [change] : [])),
  }
}

/** With one book that is live, and that the exchange sends on each request. */
async function openWithBook(timings?: Partial<typeof BOOK_TIMINGS>) {
  const opened = await open(timings)
  opened.answers.set('1', bookFrame('1', [['0.40', '10.0']], [['0.60', '20']]))
  const [book] = opened.socket.add(['1'])
  if (book === undefined) throw new Error('not added')
  await until(() => book.state === 'live')
  opened.changes.length = 0
  opened.requests.length = 0
  return { ...opened, book }
}

describe('a price change', () => {
  test('sets levels of the own tokens, and names the best prices after the whole frame', async () => {
    const { book, changes, say } = await openWithBook()
    say(
      changeFrame(
        { tokenId: '1', price: '.50', size: '7.0', side: 'BUY', best: ['0.5', '0.55'] },
        { tokenId: '2', price: '0.5', size: '7', side: 'SELL', best: ['0.45', '0.5'] },
        { tokenId: '1', price: '0.55', size: '3', side: 'sell', best: ['0.5', '0.55'] },
        { tokenId: '1', price: '0.600', size: '0', side: 'SELL', best: ['0.5', '0.55'] },
      ),
    )
    await until(() => changes.length > 0)
    const common = {
      kind: 'level',
      tokenId: '1',
      conditionId: MARKET,
      timestampMs: 2,
      bestBid: '0.5',
      bestAsk: '0.55',
    }
    expect(changes).toEqual([
      { ...common, side: 'BUY', price: '0.5', size: '7' },
      { ...common, side: 'SELL', price: '0.55', size: '3' },
      { ...common, side: 'SELL', price: '0.6', size: '0' },
    ])
    expect(book.bids).toEqual([
      { price: '0.5', size: '7' },
      { price: '0.4', size: '10' },
    ])
    expect(book).toMatchObject({ asks: [{ price: '0.55', size: '3' }], hash: 'h2', state: 'live' })
  })

  test('before the book is not applied', async () => {
    const { socket, say, changes } = await open()
    const [book] = socket.add(['1'])
    say(changeFrame({ tokenId: '1', price: '0.5', size: '7', side: 'BUY' }))
    say(bookFrame('1', [['0.3', '1']], []))
    await until(() => book?.state === 'live')
    expect(book?.bids).toEqual([{ price: '0.3', size: '1' }])
    expect(changes).toEqual([{ kind: 'snapshot', book }])
  })
})

test('trades, tick sizes and new markets', async () => {
  const { book, changes, announced, say } = await openWithBook()
  const of = { market: MARKET, asset_id: '1', timestamp: '3' }
  say([
    { ...of, event_type: 'tick_size_change', old_tick_size: '0.01', new_tick_size: '0.001' },
    { ...of, event_type: 'last_trade_price', price: '0.6', size: '5', side: 'BUY', fee_rate_bps: '1000' },
    { event_type: 'new_market', id: '9', market: '0xcd', assets_ids: ['8', '9'], timestamp: '3' },
  ])
  await until(() => announced.length === 2)
  const trade = { tokenId: '1', conditionId: MARKET, price: '0.6', size: '5', side: 'BUY' }
  expect(changes).toEqual([
    { kind: 'details', book },
    { kind: 'trade', ...trade, feeRateBps: 1_000, timestampMs: 3 },
  ])
  expect(book).toMatchObject({ tickSize: '0.001', lastTradePrice: '0.6' })
})

describe('a book that cannot be right', () => {
  test.each<[string, Change]>([
    ['crossed', { tokenId: '1', price: '0.6', size: '1', side: 'BUY', best: ['0.6', '0.6'] }],
    ['disagrees', { tokenId: '1', price: '0.5', size: '1', side: 'BUY', best: ['0.5', '0.58'] }],
    ['disagrees', { tokenId: '1', price: '0.4', size: '0', side: 'BUY', best: ['0.3', '0.6'] }],
  ])('is %s: stale, and requested again', async (reason, change) => {
    const { book, changes, requests, kinds, say } = await openWithBook()
    say(changeFrame(change))
    await until(() => kinds().length === 4)
    expect(changes.slice(1)).toEqual([
      { kind: 'state', tokenId: '1', state: 'stale', reason, rightUntilMs: expect.any(Number) },
      { kind: 'snapshot', book },
      { kind: 'state', tokenId: '1', state: 'live', reason: undefined },
    ])
    expect(requests).toEqual([
      { ids: ['1'], operation: 'unsubscribe' },
      { ids: ['1'], operation: 'subscribe' },
    ])
    expect(book.bids).toEqual([{ price: '0.4', size: '10' }])
  })

  test('is noticed by what the exchange says of the best prices, too', async () => {
    const { states, say } = await openWithBook()
    const of = { market: MARKET, asset_id: '1', timestamp: '3' }
    say({ ...of, event_type: 'best_bid_ask', best_bid: '0.4', best_ask: '0.6', spread: '0.2' })
    say({ ...of, event_type: 'best_bid_ask', best_bid: '0.41', best_ask: '0.6', spread: '0.19' })
    await until(() => states().length === 2)
    expect(states()[0]).toMatchObject({ state: 'stale', reason: 'disagrees' })
  })

  test('is trusted when it is right again a moment later', async () => {
    const { book, states, say } = await openWithBook({ doubtMs: 200 })
    say(changeFrame({ tokenId: '1', price: '0.6', size: '1', side: 'BUY', best: ['0.6', '0.7'] }))
    await until(() => book.isCrossed)
    say(changeFrame({ tokenId: '1', price: '0.6', size: '0', side: 'SELL', best: ['0.6', '1'] }))
    await until(() => !book.isCrossed)
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect(states()).toEqual([])
  })

  test('is requested more and more rarely while it stays wrong', async () => {
    const { answers, requests, states, say } = await openWithBook({ retryMsMax: 10_000 })
    const crossed = bookFrame('1', [['0.7', '1']], [['0.6', '1']])
    answers.set('1', crossed)
    say(crossed)
    await new Promise((resolve) => setTimeout(resolve, 400))
    const times = requests.filter(({ operation }) => operation === 'subscribe').length
    expect(times).toBeGreaterThan(1)
    expect(times).toBeLessThan(6)
    expect(states().length).toBeLessThan(12)
  })

  test('stays stale while the exchange sends it crossed, and is live when it is not any more', async () => {
    const { book, answers, requests, changes, say } = await openWithBook()
    const crossed = bookFrame('1', [['0.7', '1']], [['0.6', '1']])
    answers.set('1', crossed)
    say(crossed)
    await until(() => book.state === 'stale')
    // As after a trade: without a request.
    say(crossed)
    await until(() => requests.length >= 6)
    answers.set('1', bookFrame('1', [['0.5', '1']], [['0.6', '1']]))
    await until(() => book.state === 'live')
    expect(changes).toEqual([
      { kind: 'snapshot', book },
      { kind: 'state', tokenId: '1', state: 'stale', reason: 'crossed', rightUntilMs: expect.any(Number) },
      { kind: 'snapshot', book },
      { kind: 'state', tokenId: '1', state: 'live', reason: undefined },
    ])
    expect(book.bids).toEqual([{ price: '0.5', size: '1' }])
  })

  test('with too many levels is not kept', async () => {
    const { book, states, say } = await openWithBook()
    const levels = Array.from({ length: LEVELS_MAX + 1 }, (_, index): [string, string] => [
      String((index + 1) / 100_000),
      '1',
    ])
    say(bookFrame('1', levels, []))
    await until(() => states().length === 2)
    expect(states()[0]).toMatchObject({ reason: 'too_large' })
    expect(book.bids).toHaveLength(1)
  })
})

describe('what does not come', () => {
  test('after a frame that could not be read: the books are requested again', async () => {
    const { book, states, say } = await openWithBook()
    say('{"event_type":"book",')
    await until(() => states().length === 2)
    expect(states()[0]).toMatchObject({ state: 'stale', reason: 'garbage' })
    expect(book.state).toBe('live')
  })

  test('of a token that the exchange does not have: empty and live, once the exchange has said so', async () => {
    const { socket, changes, setAbsent } = await open({ loadMs: 20 })
    setAbsent(['7'])
    const [book] = socket.add(['7'])
    await until(() => book?.state === 'live')
    expect(changes).toEqual([{ kind: 'snapshot', book }])
    expect(socket.countStale()).toBe(0)
  })

  test('of a token that it has: stays loading, and is requested again', async () => {
    const { socket, requests, answers } = await open({ loadMs: 20 })
    const [book] = socket.add(['1'])
    await until(() => requests.length > 5)
    expect(book?.state).toBe('loading')
    answers.set('1', bookFrame('1', [], []))
    await until(() => book?.state === 'live')
  })

  test('when a live book is read again: stale, unless the exchange has none any more', async () => {
    const { socket, book, answers, states, setAbsent } = await openWithBook({ refreshMs: 30 })
    answers.clear()
    await until(() => states().length === 1)
    expect(states()[0]).toMatchObject({ state: 'stale', reason: 'silent' })
    setAbsent(['1'])
    await until(() => book.state === 'live')
    expect(book.bids).toEqual([])
    expect(socket.countStale()).toBe(0)
  })
})

test('a book that is read again and is the same says nothing', async () => {
  const { changes, requests } = await openWithBook({ refreshMs: 20 })
  await until(() => requests.length > 4)
  expect(changes).toEqual([])
})

test('a book of a quiet market is requested before the stream is taken for dead', async () => {
  const { server, changes, requests } = await openWithBook({ probeMs: 50 })
  await new Promise((resolve) => setTimeout(resolve, 900))
  expect(requests.length).toBeGreaterThan(6)
  expect(server.peers).toHaveLength(1)
  expect(changes).toEqual([])
})

test('tokens that the exchange does not have make no quiet stream look dead', async () => {
  const { socket, book, answers, setAbsent, states, server } = await openWithBook({
    loadMs: 20,
    probeMs: 100,
  })
  setAbsent(['8', '9'])
  const absent = socket.add(['8', '9'])
  await until(() => absent.every(({ isAbsent }) => isAbsent))
  await sleep(700)
  expect(book.state).toBe('live')
  // Nothing is left that could come.
  answers.clear()
  socket.remove(['1'])
  await sleep(500)
  expect(states()).toEqual([])
  expect(server.peers).toHaveLength(1)
})

test('a stream that sends nothing at all is opened again', async () => {
  const { server, answers, states } = await openWithBook({ probeMs: 50 })
  const [frame = {}] = answers.values()
  answers.clear()
  await until(() => server.peers.length === 2)
  expect(states()[0]).toMatchObject({ state: 'stale', reason: 'silent' })
  answers.set('1', frame)
  await until(() => states().at(-1)?.state === 'live')
})
