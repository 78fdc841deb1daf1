import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import type { TailEvent } from './event-line.js'
import { makeSubscription, type SubscriptionFlags } from './subscription.js'
import { tailStream } from './tail-stream.js'
import { acknowledge, makeTrade, send, TestStreamServer } from './test-stream-server.js'

let server: TestStreamServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

type Scenario = {
  onSubscribe: (client: WebSocket, nth: number) => void
  until: number
  flags?: SubscriptionFlags
  type?: string
}

/** Follows until this many events were handed over. */
async function follow({ onSubscribe, until, flags = {}, type = 'trades' }: Scenario) {
  server = await TestStreamServer.listen(onSubscribe)
  const events: TailEvent[] = []
  const notices: string[] = []
  const ending = new AbortController()
  await tailStream({
    url: server.url,
    key: 'k',
    subscription: makeSubscription(type, flags),
    onEvent: async (event) => {
      events.push(event)
      if (events.length >= until) ending.abort()
    },
    notify: (text) => notices.push(text),
    signal: ending.signal,
    sleep: async () => undefined,
  })
  const { subscribes, keys } = server
  return { seqs: events.map(({ seq }) => seq), events, notices, subscribes, keys }
}

describe('tailStream', () => {
  test('subscribes by the flags, and hands over replay and live events', async () => {
    const { seqs, subscribes, keys, notices } = await follow({
      flags: { wallet: ['0xab'], minSize: 100, eventTypes: ['trade'], last: 2 },
      onSubscribe: (client) =>
        send(
          client,
          acknowledge(),
          { type: 'snapshot', count: 2, events: [makeTrade(4), makeTrade(7)] },
          { type: 'heartbeat', ts: 1 },
          makeTrade(9),
        ),
      until: 3,
    })
    expect(seqs).toEqual([4, 7, 9])
    expect(keys).toEqual(['k'])
    expect(notices).toEqual([])
    expect(subscribes).toEqual([
      {
        action: 'subscribe',
        type: 'trades',
        filters: { wallets: ['0xab'], min_size: 100, event_types: ['trade'], snapshot_count: 2 },
      },
    ])
  })

  test.each([
    ['exact', /resumed behind seq 7/],
    ['confirmed', /pending events may be missing/],
    ['gap', /resumed with a gap/],
  ])('resumes after the last event when the connection was lost, and reports: %s', async (resume, notice) => {
    const { seqs, subscribes, notices } = await follow({
      flags: { last: 5 },
      onSubscribe: (client, nth) => {
        if (nth === 1) {
          send(client, acknowledge(), makeTrade(4), makeTrade(7))
          client.close(1012, 'restart')
        } else send(client, acknowledge({ resume }), makeTrade(7), makeTrade(8), makeTrade(9))
      },
      until: 4,
    })
    expect(seqs).toEqual([4, 7, 8, 9])
    expect(subscribes.map(({ filters }) => filters)).toEqual([{ snapshot_count: 5 }, { since_seq: 7 }])
    expect(notices[0]).toMatch(/closed the connection \(1012, restart\); connecting again in/)
    expect(notices[1]).toMatch(notice)
  })

  test('tries again and again once it was connected, and goes on from where the service was', async () => {
    const { seqs, subscribes } = await follow({
      flags: { last: 0 },
      onSubscribe: (client, nth) => {
        if (nth === 1) send(client, acknowledge({ resume_seq: 2, resume_seq_of: 'chain' }))
        if (nth === 4) send(client, acknowledge({ resume: 'exact' }), makeTrade(3))
        else client.close(1013)
      },
      until: 1,
    })
    expect(seqs).toEqual([3])
    expect(subscribes).toHaveLength(4)
    expect(subscribes[3]?.filters).toEqual({ since_seq: 2 })
  })

  test('prices of coins, which are numbered apart, go on after the last one', async () => {
    const price = (seq: number) => ({ type: 'price_feed', seq, data: {} })
    const resumption = { resume_seq: 900, resume_seq_of: 'prices' }
    const { seqs, subscribes } = await follow({
      type: 'oracle',
      flags: { feed: ['BTC/USD'] },
      onSubscribe: (client, nth) => {
        send(client, acknowledge(resumption), price(1_000), price(1_000 + nth))
        if (nth === 1) client.close(1012)
      },
      until: 3,
    })
    expect(seqs).toEqual([1_000, 1_001, 1_002])
    expect(subscribes[1]?.filters).toEqual({ feeds: ['BTC/USD'], since_seq: 1_001 })
  })

  test('books: hands over each snapshot and update', async () => {
    const { events, subscribes } = await follow({
      type: 'orderbook',
      flags: { token: ['71'] },
      onSubscribe: (client) =>
        send(
          client,
          { type: 'subscribed', markets: 1 },
          {
            type: 'snapshot_batch',
            count: 1,
            total_sent: 1,
            snapshots: [{ type: 'book_snapshot' }],
          },
          { type: 'snapshots_done', total: 1 },
          {
            type: 'batch',
            ts: 1,
            count: 2,
            updates: [{ type: 'price_change' }, { type: 'last_trade_price' }],
          },
        ),
      until: 3,
    })
    expect(events.map(({ type }) => type)).toEqual(['book_snapshot', 'price_change', 'last_trade_price'])
    expect(subscribes).toEqual([{ action: 'subscribe', type: 'orderbook', markets: ['71'] }])
  })

  test.each([
    [
      'a wrong key',
      { type: 'error', code: 'unauthorized', message: 'The key is unknown.' },
      /The key is unknown\. \(unauthorized\)/,
    ],
    ['a wrong filter', { type: 'error', code: 'invalid_filter', message: 'No.' }, /No\. \(invalid_filter\)/],
    ['too many tokens', { error: 'token_limit', message: 'Too many.' }, /Too many\. \(token_limit\)/],
  ])('fails at once: %s', async (_what, error, message) => {
    const following = follow({ onSubscribe: (client) => send(client, error), until: 1 })
    await expect(following).rejects.toThrow(message)
    expect(server?.subscribes).toHaveLength(1)
  })

  test('fails when the key was revoked meanwhile', async () => {
    const following = follow({
      onSubscribe: (client) => {
        send(client, acknowledge(), { type: 'error', code: 'forbidden', message: 'Revoked.' })
        client.close(4403)
      },
      until: 1,
    })
    await expect(following).rejects.toThrow(/Revoked/)
  })

  test('fails when nothing answers at the address', async () => {
    const gone = await TestStreamServer.listen(() => undefined)
    const { url } = gone
    await gone.close()
    const following = tailStream({
      url,
      key: 'k',
      subscription: makeSubscription('trades', {}),
      onEvent: async () => undefined,
      notify: () => undefined,
      signal: new AbortController().signal,
    })
    await expect(following).rejects.toThrow(/ws:\/\/127\.0\.0\.1:\d+\/ws: .*ECONNREFUSED/)
  })

  test('reads no further event while the output is not ready', async () => {
    const events: TailEvent[] = []
    const ending = new AbortController()
    let isReady = true
    server = await TestStreamServer.listen((client) =>
      send(client, acknowledge(), makeTrade(1), makeTrade(2), makeTrade(3)),
    )
    await tailStream({
      url: server.url,
      key: 'k',
      subscription: makeSubscription('trades', {}),
      onEvent: async (event) => {
        expect(isReady).toBe(true)
        events.push(event)
        if (events.length === 3) ending.abort()
        isReady = false
        await setImmediate()
        isReady = true
      },
      notify: () => undefined,
      signal: ending.signal,
    })
    expect(events).toHaveLength(3)
  })
})
