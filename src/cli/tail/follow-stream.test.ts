import { afterEach, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { followStream, type TailEvent } from './follow-stream.js'
import { makeSubscription, type SubscriptionFlags } from './subscription.js'
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
  await followStream({
    url: server.url,
    key: 'k',
    subscription: makeSubscription(type, flags),
    onEvent: (event) => {
      events.push(event)
      if (events.length >= until) ending.abort()
      return true
    },
    untilReady: async () => undefined,
    notify: (text) => notices.push(text),
    signal: ending.signal,
    retryMs: 5,
  })
  const { subscribes, keys } = server
  return { seqs: events.map(({ seq }) => seq), events, notices, subscribes, keys }
}

describe('followStream', () => {
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
  ])('goes on behind the last event when the connection was lost, and tells: %s', async (resume, notice) => {
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

  test('tries again and again once it was connected, and begins by the time of the service', async () => {
    const { seqs, subscribes } = await follow({
      onSubscribe: (client, nth) => {
        if (nth === 1) send(client, acknowledge(), { type: 'heartbeat', ts: 1_794_823_200_000 })
        if (nth === 4) send(client, acknowledge(), makeTrade(3))
        else client.close(1013)
      },
      until: 1,
    })
    expect(seqs).toEqual([3])
    expect(subscribes).toHaveLength(4)
    expect(subscribes[3]?.filters).toEqual({ since: 1_794_823_200_000, snapshot_count: 0 })
  })

  test('prices of coins, which are numbered apart, do not move the place of the events', async () => {
    const price = (seq: number) => ({ type: 'price_feed', seq, data: {} })
    const { seqs, subscribes } = await follow({
      type: 'oracle',
      flags: { feed: ['BTC/USD'] },
      onSubscribe: (client, nth) => {
        send(client, acknowledge(), price(1_000), price(1_001))
        if (nth === 1) client.terminate()
      },
      until: 4,
    })
    expect(seqs).toEqual([1_000, 1_001, 1_000, 1_001])
    expect(subscribes[1]?.filters).toEqual({ feeds: ['BTC/USD'], snapshot_count: 0 })
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
      onSubscribe: (client, nth) => {
        if (nth === 2) send(client, { type: 'error', code: 'forbidden', message: 'Revoked.' })
        else send(client, acknowledge())
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
    const following = followStream({
      url,
      key: 'k',
      subscription: makeSubscription('trades', {}),
      onEvent: () => true,
      untilReady: async () => undefined,
      notify: () => undefined,
      signal: new AbortController().signal,
    })
    await expect(following).rejects.toThrow(/ws:\/\/127\.0\.0\.1:\d+\/ws: .*ECONNREFUSED/)
  })

  test('stops reading while the output is not ready', async () => {
    let ready: () => void = () => undefined
    const events: TailEvent[] = []
    const ending = new AbortController()
    server = await TestStreamServer.listen((client) =>
      send(client, acknowledge(), makeTrade(1), makeTrade(2), makeTrade(3)),
    )
    const following = followStream({
      url: server.url,
      key: 'k',
      subscription: makeSubscription('trades', {}),
      onEvent: (event) => {
        events.push(event)
        if (events.length === 3) ending.abort()
        return false
      },
      untilReady: () =>
        new Promise<void>((resolve) => {
          ready = resolve
          setImmediate(() => ready())
        }),
      notify: () => undefined,
      signal: ending.signal,
    })
    await following
    expect(events).toHaveLength(3)
  })
})
