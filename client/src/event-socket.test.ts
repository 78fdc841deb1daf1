import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../../test/until.js'
import type { EventStream, StreamStatus } from './stream-types.js'
import { WAITING_MAX } from './subscription.js'
import { connectClient, listenSocket, type TestConnection, take } from './test-socket-server.js'

const trade = (seq: number) => ({ type: 'trade', timestamp: 1, seq, data: { event_type: 'trade' } })
const price = (seq: number) => ({ type: 'price_feed', seq, data: {} })
const empty = (subscription: number) => ({ type: 'snapshot', subscription, count: 0, events: [] })

const seqsOf = (items: readonly unknown[]) => items.map((item) => (item as { seq?: number }).seq)

function recordStatus(stream: EventStream<unknown>): StreamStatus[] {
  const statuses: StreamStatus[] = []
  stream.onStatus((status) => statuses.push(status))
  return statuses
}

describe('one connection', () => {
  test('carries several streams, and each gets its own events', async () => {
    const { baseUrl, urls, received } = await listenSocket((connection, { type }) => {
      const number = connection.acknowledge()
      if (type === 'trades') connection.event(number, trade(1), trade(3))
      else connection.send({ type: 'snapshot', subscription: number, count: 2, events: [trade(1), trade(2)] })
    })
    const { client } = connectClient(baseUrl)
    const filters = { wallets: ['0xab'], min_size: 100 }
    const trades = client.subscribe({ type: 'trades', filters, snapshotCount: 0 })
    const blocks = client.subscribe({ type: 'blocks', since: 5 })
    expect(seqsOf(await take(trades, 2))).toEqual([1, 3])
    expect(seqsOf(await take(blocks, 2))).toEqual([1, 2])
    expect(received).toEqual([
      { action: 'subscribe', type: 'trades', filters: { ...filters, snapshot_count: 0 } },
      { action: 'subscribe', type: 'blocks', filters: { since: 5 } },
    ])
    expect(urls.map(({ pathname, search }) => pathname + search)).toEqual(['/ws?by_subscription=1&key=k'])
  })

  test('is found without a key at another address, and events may be read in a loop', async () => {
    const { baseUrl, urls, sockets } = await listenSocket((connection) =>
      connection.event(connection.acknowledge(), trade(1), trade(2)),
    )
    const socketUrls = { events: `${baseUrl}/live/ws` }
    const { client } = connectClient('http://127.0.0.1:9', { apiKey: undefined, socketUrls })
    for await (const event of client.subscribe()) if (event.type === 'trade' && event.seq === 2) break
    expect(urls[0]?.pathname).toBe('/live/ws')
    expect(urls[0]?.searchParams.has('key')).toBe(false)
    // The loop was the only reader: the connection is closed.
    await until(() => sockets[0]?.readyState === 3)
  })

  test('a stream that is closed ends at the service, also before it was acknowledged', async () => {
    let acknowledge = () => 0
    const { baseUrl, received } = await listenSocket((connection, { action, type }) => {
      if (action === 'unsubscribe') connection.send({ type: 'unsubscribed' })
      else if (type === 'blocks') acknowledge = connection.acknowledge
      else connection.acknowledge()
    })
    const { client } = connectClient(baseUrl)
    const kept = client.subscribe({ type: 'trades' })
    const left = client.subscribe({ type: 'wallets' })
    const early = client.subscribe({ type: 'blocks' })
    const statuses = recordStatus(left)
    await until(() => received.length === 3 && statuses.includes('open'))
    left.close()
    early.close()
    acknowledge()
    await until(() => received.length === 5)
    expect(received.slice(3)).toEqual([
      { action: 'unsubscribe', subscription_id: 's:2' },
      { action: 'unsubscribe', subscription_id: 's:3' },
    ])
    expect(await left.next()).toEqual({ done: true, value: undefined })
    kept.close()
  })
})

describe('a lost connection', () => {
  /** Answers so on the first connection, then loses it; and so on the second one. */
  const interrupt = async (
    first: (connection: TestConnection) => void,
    second: (connection: TestConnection) => void,
  ) =>
    await listenSocket((connection) => {
      if (connection.nth > 1) return second(connection)
      first(connection)
      connection.close(1012, 'restart')
    })

  test('is opened again, and the stream goes on after its last event', async () => {
    const { baseUrl, received } = await interrupt(
      (connection) => connection.event(connection.acknowledge(), trade(4), trade(7)),
      (connection) => {
        const number = connection.acknowledge({ resume: 'exact' })
        connection.send({ type: 'snapshot', subscription: number, count: 2, events: [trade(7), trade(8)] })
        connection.event(number, trade(9))
      },
    )
    const { client, waits } = connectClient(baseUrl)
    const filters = { side: 'BUY' }
    const stream = client.subscribe({ type: 'trades', filters, snapshotCount: 5 })
    const details: unknown[] = []
    stream.onStatus((status, { error, afterSeq }) => details.push([status, error?.message, afterSeq]))
    expect(seqsOf(await take(stream, 4))).toEqual([4, 7, 8, 9])
    expect(received.map((message) => message.filters)).toEqual([
      { side: 'BUY', snapshot_count: 5 },
      { side: 'BUY', since_seq: 7 },
    ])
    expect(details).toEqual([
      ['connecting', undefined, undefined],
      ['open', undefined, undefined],
      ['reconnecting', 'the service closed the connection (1012, restart)', undefined],
      ['open', undefined, 7],
    ])
    expect(waits[0]).toBeGreaterThanOrEqual(500)
    expect(waits[0]).toBeLessThanOrEqual(1_000)
  })

  test.each([
    ['gap', 'events'],
    ['confirmed', 'pending'],
  ])('%s: a gap says what may be missing', async (resume, missing) => {
    const { baseUrl } = await interrupt(
      (connection) => connection.event(connection.acknowledge(), trade(7)),
      (connection) => connection.event(connection.acknowledge({ resume, resume_seq: 7 }), trade(7), trade(8)),
    )
    const items = await take(connectClient(baseUrl).client.subscribe(), 3)
    expect(items[1]).toEqual({ type: 'gap', missing, afterSeq: 7 })
    expect(seqsOf(items)).toEqual([7, undefined, 8])
  })

  test('numbers that begin again, on another database, are taken after the gap', async () => {
    const { baseUrl } = await interrupt(
      (connection) => connection.event(connection.acknowledge(), trade(7)),
      (connection) => connection.event(connection.acknowledge({ resume: 'gap', resume_seq: 1 }), trade(2)),
    )
    const items = await take(connectClient(baseUrl).client.subscribe(), 3)
    expect(seqsOf(items)).toEqual([7, undefined, 2])
  })

  test.each<[string, object, (connection: TestConnection) => void, object]>([
    [
      'there is no past',
      {},
      (connection) =>
        connection.send(empty(connection.acknowledge({ resume_seq: 50, resume_seq_of: 'chain' }))),
      { since_seq: 50 },
    ],
    [
      'the past is not wanted',
      { snapshotCount: 0 },
      (connection) => void connection.acknowledge({ resume_seq: 50, resume_seq_of: 'chain' }),
      { since_seq: 50 },
    ],
    [
      'the past has not come yet',
      { snapshotCount: 9 },
      (connection) => void connection.acknowledge({ resume_seq: 50, resume_seq_of: 'chain' }),
      { snapshot_count: 9 },
    ],
    [
      'prices came, which are numbered apart',
      {},
      (connection) => {
        const number = connection.acknowledge({ resume_seq: 50, resume_seq_of: 'chain' })
        connection.send(empty(number))
        connection.event(number, price(900))
      },
      { since_seq: 50 },
    ],
    [
      'prices came, and there is nothing else',
      {},
      (connection) =>
        connection.event(connection.acknowledge({ resume_seq: 800, resume_seq_of: 'prices' }), price(900)),
      { since_seq: 900 },
    ],
  ])('before the first event of the chain: %s', async (_what, options, first, filters) => {
    const { baseUrl, received } = await interrupt(first, (connection) =>
      connection.event(connection.acknowledge(), trade(51)),
    )
    const stream = connectClient(baseUrl).client.subscribe(options)
    for await (const event of stream) if (event.type === 'trade') break
    expect(received[1]?.filters).toEqual(filters)
  })

  test('is opened again and again, with waits that double up to half a minute', async () => {
    const { baseUrl, urls } = await listenSocket((connection) => {
      if (connection.nth < 9) connection.cut()
      else connection.event(connection.acknowledge(), trade(1))
    })
    const { client, waits } = connectClient(baseUrl)
    await take(client.subscribe(), 1)
    expect(urls).toHaveLength(9)
    expect(waits).toHaveLength(8)
    for (const [index, wait] of waits.entries()) {
      const longest = Math.min(30_000, 1_000 * 2 ** index)
      expect(wait).toBeGreaterThanOrEqual(longest / 2)
      expect(wait).toBeLessThanOrEqual(longest)
    }
  })

  test('a service that is not there yet is waited for, with the reason', async () => {
    const gone = await listenSocket(() => undefined)
    await gone.close()
    const errors: unknown[] = []
    const { client } = connectClient(gone.baseUrl, { sleep: () => new Promise(() => undefined) })
    client.subscribe().onStatus((_status, { error }) => error && errors.push(error.message))
    await until(() => errors.length > 0)
    expect(errors[0]).toMatch(/ECONNREFUSED/)
  })

  test('is given up when the service sends what is no JSON', async () => {
    const { baseUrl, sockets } = await listenSocket((connection) => {
      if (connection.nth === 1) sockets[0]?.send('{"type":')
      else connection.event(connection.acknowledge(), trade(1))
    })
    expect(seqsOf(await take(connectClient(baseUrl).client.subscribe(), 1))).toEqual([1])
  })

  test('a silent connection gets a ping, and is then given up', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { baseUrl, received, urls } = await listenSocket((connection) => void connection.acknowledge())
    const statuses = recordStatus(connectClient(baseUrl).client.subscribe())
    await until(() => statuses.includes('open'))
    vi.advanceTimersByTime(20_000)
    expect(received).toHaveLength(1)
    vi.advanceTimersByTime(5_000)
    await until(() => received.length === 2)
    expect(received[1]).toEqual({ action: 'ping' })
    vi.advanceTimersByTime(15_000)
    await until(() => urls.length === 2)
  })
})

describe('a refusal', () => {
  const refuse = (code: string, more: object = {}) => ({ type: 'error', code, message: 'No.', ...more })

  test('of a stream ends that stream alone', async () => {
    const { baseUrl, sockets } = await listenSocket((connection, { type }) => {
      if (type === 'trades') connection.send(refuse('invalid_filter'))
      else connection.event(connection.acknowledge(), trade(1))
    })
    const { client } = connectClient(baseUrl)
    const wrong = client.subscribe({ type: 'trades' })
    const right = client.subscribe({ type: 'blocks' })
    await expect(wrong.next()).rejects.toMatchObject({
      name: 'AuspexError',
      code: 'invalid_filter',
      message: 'No.',
    })
    expect(await wrong.next()).toEqual({ done: true, value: undefined })
    expect(seqsOf(await take(right, 1))).toEqual([1])
    expect(sockets).toHaveLength(1)
  })

  test('that passes is asked again after the time that the service names', async () => {
    let count = 0
    const { baseUrl } = await listenSocket((connection) => {
      count += 1
      if (count === 1) connection.send(refuse('work_limit', { retry_after_ms: 7_000 }))
      else connection.event(connection.acknowledge(), trade(1))
    })
    const { client, waits } = connectClient(baseUrl)
    const stream = client.subscribe()
    const statuses = recordStatus(stream)
    expect(seqsOf(await take(stream, 1))).toEqual([1])
    expect(waits).toEqual([7_000])
    expect(statuses).toEqual(['connecting', 'reconnecting', 'open'])
  })

  test.each([
    ['unauthorized', 4401],
    ['forbidden', 4403],
    ['session_limit', 4429],
  ])('%s ends all streams, and a later one tries again', async (code, closeCode) => {
    const { baseUrl, urls } = await listenSocket((connection) => {
      connection.send(refuse(code))
      connection.close(closeCode)
    })
    const { client } = connectClient(baseUrl)
    const streams = [client.subscribe(), client.subscribe({ type: 'blocks' })]
    for (const stream of streams) await expect(stream.next()).rejects.toMatchObject({ code })
    await expect(client.subscribe().next()).rejects.toMatchObject({ code })
    expect(urls).toHaveLength(2)
  })

  test('for want of connections is tried again, and reported meanwhile', async () => {
    const { baseUrl } = await listenSocket((connection) => {
      if (connection.nth > 1) connection.event(connection.acknowledge(), trade(1))
      else {
        connection.send(refuse('connection_limit'))
        connection.close(4429)
      }
    })
    const stream = connectClient(baseUrl).client.subscribe()
    const codes: unknown[] = []
    stream.onStatus((_status, { error }) => error && codes.push(error.code))
    expect(seqsOf(await take(stream, 1))).toEqual([1])
    expect(codes).toEqual(['connection_limit'])
  })
})

test('a stream that is not read is stopped, and goes on from there when it is read', async () => {
  const all = Array.from({ length: WAITING_MAX + 300 }, (_, index) => trade(index + 1))
  const { baseUrl, received } = await listenSocket((connection, { action, filters = {} }) => {
    if (action === 'unsubscribe') return connection.send({ type: 'unsubscribed' })
    const number = connection.acknowledge({ resume: 'exact' })
    const rest = all.slice(Number(filters.since_seq ?? 0))
    for (let from = 0; from < rest.length; from += 500) {
      const events = rest.slice(from, from + 500)
      connection.send({ type: 'snapshot', subscription: number, count: events.length, events })
    }
  })
  const stream = connectClient(baseUrl).client.subscribe()
  await until(() => received.length === 2)
  expect(received[1]).toEqual({ action: 'unsubscribe', subscription_id: 's:1' })
  expect(seqsOf(await take(stream, all.length))).toEqual(seqsOf(all))
  expect(received[2]?.filters).toEqual({ since_seq: WAITING_MAX })
})

describe('messages about books', () => {
  const batch = { type: 'batch', ts: 1, count: 0, updates: [] }

  test('come as they are, with a gap where the connection was lost', async () => {
    const { baseUrl, received } = await listenSocket((connection) => {
      connection.acknowledge({ markets: 1 })
      connection.send(batch)
      if (connection.nth === 1) connection.close(1012)
    })
    const { client } = connectClient(baseUrl)
    const stream = client.subscribe({ type: 'orderbook', markets: ['71'] })
    const gap = { type: 'gap', missing: 'events', afterSeq: undefined }
    expect(await take(stream, 3)).toEqual([batch, gap, batch])
    expect(received[1]).toEqual({ action: 'subscribe', type: 'orderbook', markets: ['71'] })
    expect(() => client.subscribe({ type: 'orderbook', markets: ['72'] })).toThrow(/one list of books/)
  })
})
