import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refreshComboAggregates, refreshComboRanks } from '../src/combos/aggregates.js'
import { refreshComboDays } from '../src/combos/daily/refresh.js'
import { refreshChainTotals } from '../src/wallets/totals/refresh.js'
import { HOOK_URL } from '../src/webhooks/manage/test-api.js'
import { type ApiWorld, openApiWorld } from './api-world.js'
import { mostFrequent } from './lists/subject.js'
import { findFaults, type Required, SHAPES } from './switching-shapes.js'

/** A call that published client libraries make. */
type Call = {
  /** Method and path, with values in braces, and what the query needs. */
  call: string
  status: 200 | 201 | 204 | 404 | 501
  /** What the library validates of the answer; absent: it takes it as it comes. */
  shape?: Required
  body?: (values: Values) => object
  /** A word for the table of the docs. */
  remark?: string
}
type Values = Record<string, string>

const calls = (status: Call['status'], ...paths: string[]): Call[] => paths.map((call) => ({ call, status }))

/** In the order in which they are made. */
const CALLS: Call[] = [
  { call: 'POST /v1/keys', status: 201, shape: SHAPES.keys, body: () => ({ name: 'bot' }) },
  ...calls(200, 'GET /healthz'),
  { call: 'GET /v1/status', status: 200, shape: SHAPES.status },
  { call: 'GET /v1/connections', status: 200, shape: SHAPES.connections },

  ...calls(
    200,
    'GET /v1/markets?count=10',
    'GET /v1/markets/list?category=crypto&count=10&sort=volume&active_only=True',
    'GET /v1/markets/{token_id}',
    'GET /v1/markets/slug/{slug}',
    'GET /v1/markets/condition/{condition_id}',
    'GET /v1/search?q=bitcoin&include_inactive=True',
    'GET /v1/candles/{token_id}?resolution=1h&limit=10',
    'GET /v1/stats/{token_id}',
    'GET /v1/trending',
    'GET /v1/movers',
    'GET /v1/event/{event}',
    'GET /v1/events/search?q=bitcoin',
    'GET /v2/trending',
    'GET /v2/movers',
    'GET /v2/markets/crypto',
    'GET /proxy/gamma/events?slug={event}',
    'GET /proxy/polymarket/api/crypto/crypto-price?symbol=BTC&eventStartTime={window}&variant=fiveminute',
  ),
  { call: 'GET /v1/event/{no_market}', status: 404, remark: 'an event that does not exist' },
  { call: 'GET /v1/settlements/recent', status: 200, shape: SHAPES.settlements },
  { call: 'GET /v1/settlements/token/{token_id}', status: 200, shape: SHAPES.tokenSettlements },
  { call: 'GET /v1/settlements/wallet/{address}', status: 200, shape: SHAPES.walletSettlements },
  { call: 'GET /v1/wallets/{address}', status: 200, shape: SHAPES.wallet },
  { call: 'GET /v1/wallets/{address}/positions', status: 200, shape: SHAPES.walletPositions },
  ...calls(
    200,
    'GET /v1/wallets/{address}/trades',
    'GET /v1/wallets/positions?wallets={address}',
    'GET /v1/markets/{condition_id}/positions?includeTrades=True&limit=5',
    'GET /v1/markets/{condition_id}/trades?user={address}&side=BUY',
  ),
  { call: 'GET /v1/markets/{no_market}/positions', status: 404, remark: 'a market that does not exist' },
  { call: 'GET /v1/leaderboard?period=daily&sort=volume', status: 200, shape: SHAPES.leaderboard },
  { call: 'GET /v1/trader/{address}', status: 200, shape: SHAPES.trader },
  { call: 'GET /v1/trader/{address}/pnl?period=1D', status: 200, shape: SHAPES.traderPnl },
  { call: 'GET /v1/activity', status: 200, shape: SHAPES.activity },
  { call: 'GET /v1/orderbook/{live_token}', status: 200, shape: SHAPES.book },
  { call: 'GET /v1/midpoint/{live_token}', status: 200, shape: SHAPES.midpoint },
  { call: 'GET /v1/spread/{live_token}', status: 200, shape: SHAPES.spread },
  { call: 'GET /v1/orderbook/{no_market}', status: 404, remark: 'a token without a book' },
  ...calls(
    200,
    'GET /v1/resolve/{address}',
    'GET /v2/search/online?q=bitcoin',
    'GET /v2/wallets/{address}/closed-positions',
    'GET /v2/wallets/{address}/positions/onchain',
    'GET /v2/onchain/positions?wallet={address}',
    'GET /v2/onchain/tags',

    'GET /v2/sports/leagues',
    'GET /v2/sports/summary',
    'GET /v2/sports/live',
    'GET /v2/sports/leagues/{league}/teams',
    'GET /v2/sports/leagues/{league}/games',
    'GET /v2/sports/games/{game}',
    'GET /v2/sports/games/{game}/state',
    'GET /v2/sports/games/{game}/context?sources=online,web',
    'GET /v2/sports/games/{game}/prices',
    'GET /v2/sports/games/{game}/history',
    'GET /v2/sports/games/by-event/{event_id}',
    'GET /v2/sports/games/by-market/{market_id}',
    'GET /v2/sports/market-types',
    'GET /v2/sports/search?q=nba',
  ),
  { call: 'GET /v2/sports/series?status=all&limit=500', status: 200, shape: SHAPES.sportsSeries },
  ...calls(200, 'GET /v2/sports/series/{series_id}'),
  ...calls(501, 'GET /v2/sports/tournaments', 'GET /v2/sports/tournaments/{series_id}'),
  ...calls(
    200,
    'GET /v3/wallets/{address}',
    'GET /v3/wallets/{address}/pnl',
    'GET /v3/wallets/{address}/pnl/events',
    'GET /v3/wallets/{address}/fees-paid',
    'GET /v3/wallets/{address}/polyusd-flows',
    'GET /v3/wallets/{address}/rebates?date={date}',
    'GET /v3/wallets/{address}/activity',
    'GET /v3/wallets/{address}/splits',
    'GET /v3/wallets/{address}/merges',
    'GET /v3/wallets/{address}/nrc',
    'GET /v3/wallets/{address}/redemptions',
    'GET /v3/wallets/{address}/trades',
    'GET /v3/wallets/{address}/positions',
    'GET /v3/wallets/{address}/combos/positions',
    'GET /v3/wallets/{address}/combos/trades',
    'GET /v3/wallets/{address}/combos/activity',
    'GET /v3/wallets/{address}/combos/redemptions',
    'GET /v3/wallets/{address}/combos/summary',
  ),
  { call: 'POST /v3/wallets/batch', status: 200, body: ({ address }) => ({ wallets: [address] }) },
  ...calls(
    501,
    'GET /v3/wallets/{address}/rewards',
    'GET /v3/wallets/{address}/credits',
    'GET /v3/wallets/{address}/credits/totals',
    'GET /v3/wallets/{address}/credits/series?interval=day',
    'GET /v3/credits/leaderboard',
    'GET /v3/credits/stats',
    'GET /v3/credits/events',
    'GET /v3/credits/recipients/stats',
    'GET /v3/credits/distributors',
    'GET /v3/credits/txs/{tx}',
  ),
  ...calls(
    200,
    'GET /v3/trades',
    'GET /v3/positions',
    'GET /v3/fees',
    'GET /v3/fees/{address}',
    'GET /v3/stats',
    'GET /v3/markets',
    'GET /v3/markets/stats',
    'GET /v3/markets/search?q=bitcoin',
    'GET /v3/markets/{token_id}/price',
    'GET /v3/markets/{token_id}/trades',
    'GET /v3/markets/{token_id}/positions',
    'GET /v3/markets/{token_id}/candles',
    'GET /v3/markets/condition/{condition_id}',
    'GET /v3/markets/condition/{condition_id}/positions',
    'GET /v3/markets/condition/{condition_id}/candles',
    'GET /v3/markets/slug/{slug}',
    'GET /v3/markets/slug/{slug}/trades',
    'GET /v3/markets/slug/{slug}/candles',
    'GET /v3/events',
    'GET /v3/events/stats',
    'GET /v3/tags',
    'GET /v3/tags/{tag}',
    'GET /v3/tags/{tag}/leaderboard',
    'GET /v3/leaderboard',
    'GET /v3/leaderboard/scopes?period=7d&scope=tag',
    'GET /v3/tokens/{token_id}',
    'GET /v3/conditions/{condition_id}',
    'GET /v3/resolutions',
    'GET /v3/rewards/markets',
    'GET /v3/rewards/markets/{condition_id}',
    'GET /v3/builders',
    'GET /v3/builders/{code}',
    'GET /v3/builders/{code}/trades',
    'GET /v3/builders/{code}/activity/daily',
    'GET /v3/builders/activity/daily',
  ),
  { call: 'GET /v3/builders/{code}/leaderboard?sort=volume', status: 200, shape: SHAPES.builderLeaderboard },
  ...calls(
    200,
    'GET /v3/combos/markets',
    'GET /v3/combos/activity?condition_id={combo}',
    'GET /v3/combos/redemptions',
  ),
  { call: 'GET /v3/combos/activity/daily?period=7d', status: 200, shape: SHAPES.comboDays },
  { call: 'GET /v3/combos/leaderboard?sort_by=total_pnl', status: 200, shape: SHAPES.comboLeaderboard },
  { call: 'POST /v3/identities/batch', status: 200, body: ({ address }) => ({ wallets: [address] }) },
  ...calls(
    200,
    'GET /v3/identities/search?q=ab',
    'GET /v3/identities/{address}',
    'GET /v3/polymarket/profiles/{address}',
    'GET /v3/polymarket/profiles/username-available?username=some-new-name',
  ),
  { call: 'GET /v3/polymarket/profiles/{nobody}', status: 404, remark: 'an address without a profile' },
  ...calls(
    501,
    'POST /v3/polymarket/profiles/username/challenge',
    'POST /v3/polymarket/profiles/username/complete',
    'GET /v3/perps/markets',
  ),
  {
    call: 'POST /v3/webhooks',
    status: 201,
    body: () => ({ url: HOOK_URL, event_types: ['market_resolved'] }),
  },
  ...calls(
    200,
    'GET /v3/webhooks',
    'GET /v3/webhooks/event-types',
    'GET /v3/webhooks/{webhook}',
    'GET /v3/webhooks/{webhook}/deliveries',
  ),
  { call: 'PUT /v3/webhooks/{webhook}', status: 200, body: () => ({ description: 'desk' }) },
  ...calls(
    200,
    'POST /v3/webhooks/{webhook}/test',
    'POST /v3/webhooks/{webhook}/rotate-secret',
    'DELETE /v3/webhooks/{webhook}',
  ),
]

let world: ApiWorld
let values: Values
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 25 * 60_000, comboShare: 0.2, hasGames: true })
  const { sql } = world.ctx
  const { signal } = new AbortController()
  await refreshComboAggregates(sql, signal)
  await refreshComboDays(sql, signal)
  await refreshComboRanks(sql)
  await refreshChainTotals(sql, signal)
  values = await findValues()
}, 180_000)
afterAll(() => world.close())

async function findValues(): Promise<Values> {
  const first = async (path: string, list: string, query: object = {}) =>
    (await world.get(path, { limit: 1, ...query })).json()[list][0]
  const { universe, clock } = world
  const { trades } = (await world.get('/v3/trades')).json<{ trades: Values[] }>()
  // The catalogue of this world lacks every fourth event.
  const trade = trades.find(({ slug }) => slug !== null) ?? {}
  const book = universe.catalogue
    .events()
    .filter(({ id }) => Number(id) % 4 !== 0)
    .flatMap(({ markets }) => markets)
    .find(({ resolvesMs }) => resolvesMs > universe.nowMs)
  const game = universe.catalogue.events().find(({ game: played, series }) => played && series)
  return {
    address: mostFrequent(world, ({ maker }) => maker),
    nobody: `0x${'ab'.repeat(20)}`,
    no_market: 'there-is-no-such-market',
    token_id: trade.token_id ?? '',
    live_token: book?.tokens[0]?.decimal ?? '',
    condition_id: trade.condition_id ?? '',
    slug: trade.slug ?? '',
    event: universe.catalogue.events().find(({ id }) => Number(id) % 4 !== 0)?.slug ?? '',
    window: new Date(Math.floor(clock.now() / 300_000) * 300_000 - 300_000).toISOString(),
    code: (await first('/v3/builders', 'builders')).builder_code,
    combo: (await first('/v3/combos/markets', 'markets')).combo_condition_id,
    game: game?.slug ?? '',
    event_id: game?.id ?? '',
    market_id: game?.markets[0]?.id ?? '',
    series_id: game?.series?.id ?? '',
    league: 'nba',
    tag: 'crypto',
    tx: trade.transaction_hash ?? '',
    date: new Date(clock.now()).toISOString().slice(0, 10),
  }
}

const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name)

/** Without the query, as the docs name it: the values of a path under one name each. */
const nameOf = ({ call }: Call): string =>
  call
    .replace(/\?.*$/, '')
    .replace('{live_token}', '{id}')
    .replace('/v1/event/{no_market}', '/v1/event/{slug}')
    .replace('{event}', '{slug}')
    .replace('{no_market}', '{id}')
    .replace(/(\/v1\/markets\/)\{condition_id\}/, '$1{id}')
    .replace('{nobody}', '{eoa}')
    .replace('/v3/perps/markets', '/v3/perps/*')

/** The reason of each call that is answered with 501, as it is given. */
const reasons = new Map<Call, string>()

test('every call that client libraries make is answered as the table says', async () => {
  const wrong: string[] = []
  for (const call of CALLS) {
    const [method = '', path = ''] = call.call.split(' ')
    // The strictest limit is three requests in ten seconds.
    world.clock.advance(4_000)
    const body = call.body?.(values) ?? (method === 'POST' && call.status === 501 ? {} : undefined)
    const reply = await world.app.inject({
      method: method as 'GET',
      url: fill(path),
      headers: { 'x-api-key': world.key },
      ...(body !== undefined && { payload: body }),
    })
    if (reply.statusCode !== call.status)
      wrong.push(`${call.call}: ${reply.statusCode} ${reply.body.slice(0, 300)}`)
    else if (call.status === 501) reasons.set(call, reply.json().detail)
    else if (call.shape !== undefined) {
      wrong.push(
        ...findFaults(reply.json(), call.shape)
          .slice(0, 3)
          .map((fault) => `${call.call}: ${fault}`),
      )
    }
    if (call.call === 'POST /v3/webhooks') values.webhook = reply.json().id
  }
  expect(wrong).toEqual([])
}, 300_000)

const PAGE = new URL('../docs/switching.md', import.meta.url)
const HEADING = '## Calls of client libraries\n'

test('docs/switching.md has the table of these calls', () => {
  const rows = CALLS.map((call) => {
    const [sentence = ''] = (reasons.get(call) ?? call.remark ?? '').split(/(?<=\.) /)
    return `| \`${nameOf(call)}\` | ${call.status} | ${sentence} |`
  })
  const table = ['| Call | Status | |', '| --- | --- | --- |', ...rows].join('\n')
  const page = readFileSync(PAGE, 'utf8')
  const [before = '', section = ''] = page.split(HEADING)
  const [introduction = ''] = section.split(/^\| /m)
  const [, after = ''] = section.split(/\n(?=## )/)
  const written = `${before}${HEADING}${introduction}${table}\n${after === '' ? '' : `\n${after}`}`
  if (process.env.AUSPEX_WRITE_TABLES === '1') return writeFileSync(PAGE, written)
  expect(page, 'AUSPEX_WRITE_TABLES=1 npx vitest run test/switching.test.ts writes it').toBe(written)
})
