import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { HostName } from './server/fault-order.js'
import { openSimulator, SIM_CREDENTIALS } from './simulator.js'
import { Universe } from './universe/universe.js'

const START_MS = Date.UTC(2026, 10, 12, 6)
const START_SEC = START_MS / 1000
const RUNS = { numRuns: 150, seed: 9 }

const universe = new Universe({ seed: 6, startMs: START_MS, intensity: 3 })
universe.advance(START_MS + 3_600_000)
const simulator = await openSimulator(universe)
afterAll(() => simulator.close())

const user = universe.settledActs.matches.at(-1)?.tx.act.taker.order.wallet.address ?? ''
const market = universe.catalogue.events()[0]?.markets[0]
if (market === undefined) throw new Error('there are no markets')
const { conditionId: condition, slug, event } = market
const token = market.tokens[0].decimal
const builder = universe.builders[0]?.code
const head = `0x${universe.chain.head.number.toString(16)}`

/** Requests that are good as they stand. */
const GOOD: { readonly [Name in HostName]?: readonly string[] } = {
  gamma: [
    '/events?limit=5&offset=1&order=volume24hr&ascending=false&closed=false&tag_id=21&start_date_min=2026-01-01',
    '/events/keyset?limit=5&order=volume&after_cursor=&tag_match=any&recurrence=daily',
    `/markets?limit=5&slug=${slug}&clob_token_ids=${token}&condition_ids=${condition}&include_tag=true`,
    '/series?slug=btc-up-or-down-5m&exclude_events=true&order=id&limit=2',
    '/tags/21/related-tags?omit_empty=true&status=active',
    '/public-search?q=bitcoin&page=1&limit_per_type=5&sort=volume&events_status=active',
    `/public-profile?address=${user}`,
  ],
  clob: [
    `/book?token_id=${token}`,
    `/prices?token_ids=${token}&sides=BUY`,
    `/prices-history?market=${token}&startTs=${START_SEC}&endTs=${START_SEC + 3_600}&fidelity=10`,
    `/prices-history?market=${token}&interval=1d&fidelity=10`,
    '/simplified-markets?next_cursor=MA==',
    '/rewards/markets/current?sponsored=true&next_cursor=MA==',
    `/rewards/markets/${condition}?sponsored=false&next_cursor=`,
    `/rewards/markets/multi?page_size=5&q=a&tag_slug=crypto&market_id=${market.id}&event_id=${event.id}&event_title=a&order_by=price&position=ASC&min_price=0&max_spread=1&next_cursor=`,
    `/builder/trades?builder_code=${builder}&market=${condition}&asset_id=${token}&id=1&after=1&before=2&next_cursor=`,
    `/rebates/current?date=2026-11-12&maker_address=${user}`,
  ],
  data_api: [
    `/closed-positions?user=${user}&limit=5&offset=0&sortBy=TITLE&sortDirection=ASC&title=a`,
    `/trades?user=${user}&limit=5&offset=0&filterType=CASH&filterAmount=1&start=1&end=0&side=BUY`,
    `/activity?user=${user}&limit=5&type=TRADE,SPLIT&sortBy=CASH`,
    `/holders?market=${condition}&limit=5&minBalance=1`,
    `/live-volume?id=${event.id}`,
    '/v1/leaderboard?category=CRYPTO&timePeriod=WEEK&orderBy=VOL&limit=5&offset=5',
    `/v2/positions?user=${user}&condition=${condition}&status=CLOSED&sort_by=TOKENS&limit=5&cursor=`,
    `/v2/prices-history?token_id=${token}&start=${START_SEC}&bucket_seconds=60&limit=5&cursor=`,
    '/v2/builders/leaderboard?time_period=all&limit=5&cursor=',
    `/v2/user-pnl?user=${user}&interval=1d&fidelity=1h`,
    `/v2/holders?condition_id=${condition}&min_balance=1&include_pnl=true&limit=5&cursor=`,
    `/v2/positions/combos?user=${user}&status=OPEN&sort_by=UPDATED&updated_after=1&updated_before=2`,
    `/v2/tokens?condition=${condition}`,
    `/v2/resolutions?event_id=${event.id}`,
    '/v2/builders/volume?interval=week&limit=5',
  ],
  rfq: [`/v1/rfq/combo-markets?exclude=${condition}&limit=5&cursor=`],
  searxng: [
    '/search?format=json&q=who wins&engines=bing,brave&language=en-US&time_range=week&safesearch=0&pageno=1',
  ],
  site: [
    '/api/crypto/crypto-price?symbol=BTC&eventStartTime=2026-11-12T06:00:00Z&variant=fiveminute&twap=true&twapLookbackSeconds=60',
    '/api/crypto/price-history?symbol=BTC&eventStartTime=2026-11-12T06:00:00Z&variant=hourly&endDate=2026-11-12T07:00:00Z',
    '/api/past-results?symbol=BTC&variant=fiveminute&currentEventStartTime=2026-11-12T06:30:00Z&count=5',
    `/api/chainlink-candles?symbol=BTC&interval=5m&limit=5&endTime=${START_MS}`,
  ],
}

/** What has broken programs before. */
const HOSTILE_VALUES = [
  '',
  ' ',
  '0',
  '-1',
  '0.5',
  '1e308',
  '1e400',
  '-999999999999999',
  '999999999999999',
  'NaN',
  'Infinity',
  '0x10',
  'null',
  'undefined',
  'true',
  'constructor',
  '__proto__',
  'toString',
  '0001-01-01',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  'max',
  'all',
  '1d',
  'a,b',
  ',,',
  '\u0000',
  'é',
  '%',
  'LTE=',
  'LTI=',
  'e30',
  'W10',
  'bnVsbA',
  'id,id',
  '🎲',
]
const value = fc.oneof(fc.constantFrom(...HOSTILE_VALUES), fc.string())

/** What a host writes that computed with nothing. */
const MISTAKE = /\bNaN\b|\bundefined\b/

describe('every request gets a well-formed answer', () => {
  test.each(Object.entries(GOOD))('%s', async (name, urls) => {
    const spoiled = fc.tuple(
      fc.constantFrom(...urls),
      fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 2 }),
    )
    await fc.assert(
      fc.asyncProperty(spoiled, async ([url, changes]) => {
        const address = new URL(url, simulator.hosts[name as HostName].url)
        const keys = [...address.searchParams.keys()]
        for (const [index, hostile] of changes) {
          address.searchParams.set(keys[index % keys.length] ?? '', hostile)
        }
        const reply = await fetch(address, {
          redirect: 'manual',
          headers: { 'user-agent': 'Mozilla/5.0' },
        })
        expect([200, 302, 400, 403, 404, 422]).toContain(reply.status)
        // A refusal may repeat what was sent.
        if (changes.some(([, hostile]) => MISTAKE.test(hostile))) return
        expect(await reply.text()).not.toMatch(MISTAKE)
      }),
      RUNS,
    )
  })

  test('the node', async () => {
    const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
    const data = fc
      .tuple(fc.constantFrom('0x00fdd58e', '0x4e1273f4', '0x'), fc.array(word, { maxLength: 6 }))
      .map(([selector, words]) => selector + words.map((w) => w.toString(16).padStart(64, '0')).join(''))
    const param = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>('latest', 'pending', head, '0x0', `0x${'f'.repeat(64)}`, true, token),
      fc.record({ fromBlock: fc.jsonValue(), toBlock: fc.constant(head), topics: fc.jsonValue() }),
      fc.record({ to: fc.constant('0x4d97dcd97ec945f40cf65f87097ace5ea0476045'), data }),
    )
    const methods = ['getBlockByNumber', 'getBlockByHash', 'getLogs', 'call', 'getCode', 'getBlockReceipts']
    const request = fc.record({
      jsonrpc: fc.constant('2.0'),
      id: fc.nat(),
      method: fc.constantFrom(...methods).map((name) => `eth_${name}`),
      params: fc.oneof(fc.array(param, { maxLength: 3 }), fc.jsonValue()),
    })
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, fc.array(request), fc.jsonValue()), async (body) => {
        const reply = await fetch(simulator.upstreams.polygon_http, {
          method: 'POST',
          body: JSON.stringify(body),
        })
        expect(reply.status).toBe(200)
        expect(await reply.text()).not.toContain('-32603')
      }),
      RUNS,
    )
  })
})

describe('no message closes a socket', () => {
  const words = [
    token,
    'market',
    'subscribe',
    'unsubscribe',
    '*',
    'update',
    'activity',
    'crypto_prices',
    '{"symbol":"btc/usd"}',
    'btcusd',
    'price.crypto',
    'newHeads',
    'logs',
    'constructor',
  ]
  const leaf = fc.oneof(fc.constantFrom<unknown>(...words, 1, 60, true, null), fc.jsonValue())
  const entry = fc.record(
    { topic: leaf, type: leaf, filters: leaf, channel: leaf, filter: leaf },
    { requiredKeys: [] },
  )
  const fields = {
    assets_ids: fc.oneof(leaf, fc.array(leaf)),
    type: leaf,
    operation: leaf,
    level: leaf,
    action: leaf,
    subscriptions: fc.oneof(leaf, fc.array(fc.oneof(leaf, entry))),
    op: fc.constantFrom('subscribe', 'ping', 'unsubscribe'),
    rid: leaf,
    channel: leaf,
    jsonrpc: fc.constant('2.0'),
    method: fc.constantFrom('eth_subscribe', 'eth_call'),
    params: fc.oneof(leaf, fc.array(leaf)),
  }
  const frame = fc.oneof(
    fc.string(),
    fc.jsonValue().map((json) => JSON.stringify(json)),
    fc.record(fields, { requiredKeys: [] }).map((json) => JSON.stringify(json)),
  )

  test.each(['clob_ws', 'rtds', 'live_v2', 'polygon_ws'] as const)('%s', async (name) => {
    const socket = new WebSocket(simulator.upstreams[name])
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    socket.send(JSON.stringify({ op: 'auth', auth: SIM_CREDENTIALS.liveV2 }))
    await fc.assert(
      fc.asyncProperty(fc.array(frame), async (frames) => {
        for (const text of frames) socket.send(text)
        universe.advance(universe.nowMs + 1_100)
        await new Promise((resolve) => socket.ping(resolve))
        expect(socket.readyState).toBe(WebSocket.OPEN)
      }),
      { ...RUNS, numRuns: 60 },
    )
    const answered = new Promise((resolve) => socket.once('pong', resolve))
    socket.ping()
    await answered
    socket.terminate()
  })
})
