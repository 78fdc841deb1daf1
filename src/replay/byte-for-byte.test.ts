import { afterAll, beforeAll, expect, test } from 'vitest'
import { transactionInput } from '../../sim/contracts/calldata.js'
import { EncodedBlocks } from '../../sim/polygon/encoded-blocks.js'
import { Universe } from '../../sim/universe/universe.js'
import { counts } from '../../test/counts.js'
import { randomFrom } from '../../test/random.js'
import { listenSockets, SocketClient } from '../../test/socket-client.js'
import { createTestApp, jobOf, type TestApp } from '../../test/test-app.js'
import { until } from '../../test/until.js'
import { LiveEvents } from '../events/live-events.js'
import { SELECTABLE_TYPES } from '../events/registry.js'
import { batchOf, createLookup } from '../events/test-universe.js'
import { transact } from '../store/transaction.js'
import { priceOf } from '../stream/events/test-stream.js'
import { parseScoreFrame } from '../upstreams/sports-ws/parse.js'

const START_MS = Date.UTC(2026, 10, 15, 12)
const MINUTES = counts({ short: 3, long: 60 })
const NOT_EVENTS = /^\{"type":"(subscribed|snapshot|heartbeat|pong|replay_state|replay_end)"/

let t: TestApp
let url: string
let universe: Universe
beforeAll(async () => {
  universe = new Universe({ seed: 11, startMs: START_MS, intensity: 20 })
  universe.advance(START_MS + 120_000)
  t = await createTestApp({ routes: [] })
  t.clock.set(universe.nowMs)
  url = await listenSockets(t.app)
})
afterAll(() => t.close())

/** What happens on the chain, one after the other: each with its time, and with what comes while a block is committed. */
async function publishMinutes(minutes: number, { sql }: TestApp['ctx']) {
  const { bus, eventLog, priceBus, scores, log, clock } = t.ctx
  const live = new LiveEvents({ bus, eventLog, markets: createLookup(universe), clock, log })
  const encoded = new EncodedBlocks(universe.chain)
  const below = randomFrom(3)
  const queue: (() => Promise<void>)[] = []
  const commit = async (publish: () => void) => {
    await transact(sql, async (tx) => await live.beforeCommit(tx))
    // Live sockets get this price before the events of the block, whose time is that at which the commit began.
    t.clock.advance(5)
    if (below(3) === 0) priceBus.publish([priceOf('ETH/USD', 'spot', t.clock.now())])
    publish()
  }
  universe.on('pending', (tx) => {
    queue.push(async () => live.onPending({ hash: tx.hash, to: tx.to, input: transactionInput(tx.act) }))
  })
  universe.on('block', (block) => {
    const batch = batchOf(universe, encoded, block)
    queue.push(async () => await commit(live.onBooked(batch)))
  })
  universe.on('reorg', (removed) => {
    const fork = (removed.at(-1)?.number ?? 0) - 1
    queue.push(async () => {
      live.onReverting(fork, removed.length)
      await commit(() => live.onReverted())
    })
  })
  await live.lead(sql)
  for (let second = 0; second < minutes * 60; second++) {
    universe.advance(universe.nowMs + 1_000)
    if (second % 97 === 50) universe.reorg(2)
    for (const act of queue.splice(0)) {
      t.clock.advance(below(100))
      await act()
    }
    t.clock.set(universe.nowMs)
    priceBus.publish([priceOf('BTC/USD', 'spot', t.clock.now()), priceOf('BTC/USD', 'twap30', t.clock.now())])
    if (below(4) === 0) scores.accept(scoreOf(below(5), second))
  }
}

function scoreOf(game: number, points: number) {
  const fields = { gameId: game, slug: `game-${game}`, leagueAbbreviation: 'nba', score: `${points}-0` }
  const frame = parseScoreFrame(JSON.stringify(fields))
  const [score] = frame?.kind === 'scores' ? frame.scores : []
  if (score === undefined) throw new Error('the frame has a score')
  return score
}

type Subscription = { type: string; filters?: object }

const everything: Subscription[] = [
  { type: 'global', filters: { event_types: [...SELECTABLE_TYPES] } },
  { type: 'fills' },
  { type: 'chainlink', filters: { twap_windows: [30] } },
  { type: 'chainlink' },
  { type: 'scores' },
]

/** What a client receives on each of these sockets, with these subscriptions. */
const CLIENTS: { query: string; subscriptions: Subscription[] }[] = [
  { query: '', subscriptions: everything },
  { query: '&compress=zlib', subscriptions: everything },
  { query: '&by_subscription=1', subscriptions: everything },
  { query: '', subscriptions: [{ type: 'trades', filters: { min_size: 200, side: 'BUY' } }] },
  { query: '', subscriptions: [{ type: 'settlements', filters: { status: 'pending' } }] },
  {
    query: '',
    subscriptions: [
      { type: 'chainlink', filters: { feeds: ['ETH/USD'] } },
      { type: 'scores', filters: { game_slugs: ['game-2'] } },
    ],
  },
]

async function subscribe(client: SocketClient, subscriptions: readonly Subscription[]) {
  for (const { type, filters = {} } of subscriptions) {
    client.send({ action: 'subscribe', type, filters: { snapshot_count: 0, ...filters } })
    expect(await client.next(({ type }) => type === 'subscribed' || type === 'error')).toMatchObject({
      type: 'subscribed',
    })
  }
}

const eventsOf = ({ texts }: SocketClient) => texts.filter((text) => !NOT_EVENTS.test(text))

test(`a replay of ${MINUTES} minutes sends byte for byte what live sockets were sent, in the same order`, async () => {
  const stopping = new AbortController()
  const recording = jobOf(t.domains, 'record of prices and scores').run(stopping.signal)
  const { key } = await t.createCaller('enterprise')
  const live = await Promise.all(
    CLIENTS.map(({ query }) => SocketClient.open(`${url}/ws?key=${key}${query}`)),
  )
  for (const [index, client] of live.entries()) await subscribe(client, CLIENTS[index]?.subscriptions ?? [])
  const fromMs = t.clock.now()
  await publishMinutes(MINUTES, t.ctx)
  t.clock.advance(1_000)
  for (const client of live) {
    client.send({ action: 'ping' })
    await client.next(({ type }) => type === 'pong')
    client.socket.close()
  }
  stopping.abort()
  await recording

  for (const [index, { query, subscriptions }] of CLIENTS.entries()) {
    const range = `from=${fromMs}&to=${t.clock.now()}&speed=max&paused=1`
    const replayed = await SocketClient.open(`${url}/ws/replay?key=${key}&${range}${query}`)
    await subscribe(replayed, subscriptions)
    replayed.send({ action: 'resume' })
    expect(await replayed.closed()).toMatchObject({ code: 1000 })
    await until(() => replayed.close !== undefined)
    const expected = eventsOf(live[index] as SocketClient)
    expect(eventsOf(replayed)).toEqual(expected)
    expect(expected.length).toBeGreaterThan(0)
    expect(replayed.messages.at(-1)).toMatchObject({ type: 'replay_end', events: expected.length })
  }
  const types = new Set(eventsOf(live[0] as SocketClient).map((text) => JSON.parse(text).type))
  expect([...types]).toEqual(
    expect.arrayContaining(['settlement', 'trade', 'block', 'event', 'price_feed', 'score_update']),
  )
}, 120_000)
