import { fillSamples, type Samples } from '../src/http/examples.js'
import { sampleTimes } from '../src/status/samples.js'
import type { DemoFile } from './demo-file.js'
import { inlineReferences } from './inline-references.js'
import { makeWebhook } from './make-webhook.js'

type Parameter = { name: string; in: 'query' | 'path'; required?: boolean }
type Answers = Record<string, { content?: Record<string, { schema?: object }> }>
type Operation = { operationId: string; parameters?: Parameter[]; responses: Answers }
type Method = 'get' | 'post' | 'put' | 'delete'
type Document = { paths: Record<string, Partial<Record<Method, Operation>>> }
type Values = Record<string, string | number>

/** A request of the OpenAPI document and what the demo said. */
export type Asked = {
  operationId: string
  /** Path and query. */
  url: string
  /** With the names of samples in braces in place of their values, as the body. */
  parameters: Values
  body?: object
  samples: Samples
  status: number
  answer: unknown
  /** What the document says of the answer. */
  schema: object | undefined
}

/**
 * Bodies of the requests with another method than GET that are asked: those that change nothing, those
 * about a pool of wallets, which is empty again at the end, and those about webhooks, which are made for
 * it. `undefined`: without a body.
 */
const BODIES: Record<string, object | undefined> = {
  getWallets: { wallets: ['{wallet}'] },
  getIdentities: { wallets: ['{wallet}'] },
  addPoolWallets: { addresses: ['{wallet}'] },
  removePoolWallets: { addresses: ['{wallet}'] },
  scoreWallets: { addresses: ['{wallet}'] },
  createWebhook: {
    url: '{receiver_url}',
    event_types: ['trade', 'redemption'],
    description: 'desk A',
    filters: { wallet_addresses: ['{wallet}'], min_amount_usd: 250 },
  },
  updateWebhook: { description: 'desk B' },
  testWebhook: undefined,
  rotateWebhookSecret: undefined,
  resendWebhookDelivery: undefined,
  recoverWebhookDeliveries: { since: '{midnight}' },
  deleteWebhook: undefined,
}

const BEST_LEVELS: Values = { levels: 2 }
/** A demo records books from its start on. */
const LAST_MINUTE: Values = { from: '{minute_ago_ms}', to: '{now_ms}', interval: '15s' }

/** What a request needs, or shows best. A game is asked about alike by each of its names. */
const QUERIES: Record<string, Values> = {
  exportTradesOfDay: { date: '{today}' },
  listTicks: { symbol: 'BTC', from: '{minute_ago_ms}', to: '{now_ms}', limit: 2 },
  listCandles: { symbol: 'BTC' },
  getWindowPrice: { symbol: 'BTC', window: '{last_window}' },
  getGameContext: { sources: 'online,social', max_queries: 1, max_per_query: 1 },
  searchOnline: { q: 'bitcoin news', max_results: 2 },
  getSiteCryptoPrice: { symbol: 'BTC', eventStartTime: '{last_window_time}', variant: 'fiveminute' },
  findGammaEvent: { slug: '{event_slug}' },
  searchMarkets: { q: 'bitcoin' },
  searchTradedMarkets: { q: 'bitcoin', limit: 2 },
  searchEvents: { q: 'bitcoin', limit: 2 },
  listTopMarkets: { count: 2 },
  listTradedMarkets: { count: 2 },
  listTradedMarketsOfCategory: { count: 2 },
  searchEverything: { q: 'bitcoin', limit: 2 },
  searchIdentities: { q: 'cand', limit: 2 },
  isUsernameAvailable: { username: 'some-new-name' },
  searchSports: { q: '{league}', limit: 2 },
  listTeams: { limit: 2 },
  listLeagueGames: { limit: 1 },
  listSportsMarketTypes: { sport: 'nba' },
  searchPosts: { q: '"injury report" has:links', max: 2 },
  listUserPosts: { handle: 'MarketWire', max: 2 },
  listLeaderboardScopes: { period: '7d', scope: 'tag' },
  listOnchainTags: { details: 'true', limit: 2 },
  getPoolSnapshot: { periods: '7d' },
  exportWalletTrades: { from: '{hour_ago}' },
  getGameState: { price_limit_tokens: 2 },
  getGamePrices: { limit_tokens: 2 },
  getGameHistory: { limit_tokens: 2, interval: '6h', fidelity: 60 },
  listSettlements: { count: 2 },
  listTokenSettlements: { count: 2 },
  listWalletSettlements: { count: 2 },
  listPlatformWalletTrades: { limit: 2 },
  listPlatformMarketTrades: { limit: 2 },
  listPlatformWalletPositions: { limit: 2 },
  listPlatformWalletsPositions: { wallets: '{wallet}', limit: 2 },
  listPlatformMarketHolders: { includeTrades: 'true', limit: 2 },
  getTraderPnl: { period: '1D' },
  listComboActivity: { condition_id: '{combo_condition_id}' },
  getRecordedBook: BEST_LEVELS,
  getRecordedBookOfCondition: BEST_LEVELS,
  getRecordedBookOfSlug: BEST_LEVELS,
  listBookHistory: { ...LAST_MINUTE, ...BEST_LEVELS },
  listBookHistoryOfCondition: { ...LAST_MINUTE, ...BEST_LEVELS },
  listBookHistoryOfSlug: { ...LAST_MINUTE, ...BEST_LEVELS },
  listBookDepth: LAST_MINUTE,
  listBookDepthOfCondition: LAST_MINUTE,
  listBookDepthOfSlug: LAST_MINUTE,
}

/** Samples by the parameter of the path that takes them; the first whose path begins like that of the request. */
const PATH_SAMPLES: [path: RegExp, samples: Values][] = [
  // The account of the first plan.
  [/^\/v1\/admin\//, { account: 'acc_1' }],
  [/^\/v1\/(orderbook|midpoint|spread)\//, { id: '{token_id}' }],
  [/^\/v1\/markets\/\{id\}\//, { id: '{condition_id}' }],
  [/^\/v2\/sports\/series\//, { id: '{series_id}' }],
  [
    /^\/v2\/sports\/games\//,
    { slug: '{game_slug}', event_id: '{game_event_id}', market_id: '{game_market_id}' },
  ],
  [/^\/v3\/webhooks\//, { id: '{webhook_id}', event_id: '{webhook_event_id}' }],
  [/^\/v3\/wallets\/.*\/combos\//, { address: '{combo_wallet}' }],
  [/^\/v3\/builders\//, { code: '{builder}' }],
  [/^\/v3\/tags\//, { slug: '{tag}' }],
  [/^\/(v3\/events|v1\/event)\//, { slug: '{event_slug}' }],
  [/^\/v[13]\/markets\/slug\//, { slug: '{market_slug}' }],
  [/^\/v2\/markets\//, { category: '{tag}' }],
  // Where the exchanges of today send their fees.
  [/^\/v3\/fees\//, { receiver: '0x115f48dc2a731aa16251c6d6e1befc42f92accc9' }],
  [/^/, { address: '{wallet}', query: '{wallet}', eoa: '{wallet}' }],
]

/** Asks a demo every question of its OpenAPI document once, about the samples of the demo. */
export async function* askOperations(demo: DemoFile): AsyncGenerator<Asked> {
  const document = (await (await fetch(`${demo.url}/openapi.json`)).json()) as Document
  const { paths } = inlineReferences(document)
  const webhook = await makeWebhook(demo)
  const headers = { 'x-api-key': demo.keys.enterprise }
  let samples = { ...demo.samples, ...webhook.samples, ...sampleTimes(Date.now()) }
  let isRecorded = false
  try {
    for (const [path, method, operation] of listOperations(paths)) {
      const { operationId, responses } = operation
      if (RECORDED_BOOK.test(path) && !isRecorded) {
        // What is asked of the last minute has to be recorded when that minute is chosen.
        await fetchMade(`${demo.url}/v3/markets/${demo.samples.token_id}/book`, { headers })
        samples = { ...samples, ...sampleTimes(Date.now()) }
        isRecorded = true
      }
      const body = BODIES[operationId]
      const parameters = chooseParameters(path, operation)
      const url = fillPath(path, fill(parameters, samples))
      const reply = await fetchMade(`${demo.url}${url}`, {
        method: method.toUpperCase(),
        headers: { 'x-api-key': keyFor(path, demo), ...(body !== undefined && JSON_TYPE) },
        ...(body !== undefined && { body: JSON.stringify(fill(body, samples)) }),
      })
      const { status } = reply
      const schema = responses[status]?.content?.['application/json']?.schema
      const answer: unknown = await reply.json()
      const sent = body !== undefined && { body }
      yield { operationId, url, parameters, ...sent, samples, status, answer, schema }
    }
  } finally {
    await webhook.remove()
  }
}

const keyFor = (path: string, { keys, operator_key }: DemoFile): string =>
  path.startsWith('/v1/admin/') ? operator_key : keys.enterprise

const JSON_TYPE = { 'content-type': 'application/json' }

/** What is asked: recorded books late, because a new demo records them some time after its start, and deletions last. */
function listOperations(paths: Document['paths']): [string, Method, Operation][] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [path, method, operation] as [string, Method, Operation],
    ),
  )
  const asked = operations.filter(([, method, { operationId }]) => method === 'get' || operationId in BODIES)
  const rankOf = ([path, method]: [string, Method, Operation]) =>
    method === 'delete' ? 2 : RECORDED_BOOK.test(path) ? 1 : 0
  return asked.sort((a, b) => rankOf(a) - rankOf(b))
}

const MAKING_MS_MAX = 120_000
const RECORDED_BOOK = /\/v3\/markets\/.*\/book\b/

/** What jobs make is not there in the first seconds of a demo, and some limits are of a second. */
async function fetchMade(url: string, init: RequestInit): Promise<Response> {
  const deadlineMs = Date.now() + MAKING_MS_MAX
  for (;;) {
    const reply = await fetch(url, init)
    // Books are followed one after the other, and recorded from then on.
    const isLate = [429, 503].includes(reply.status) || (reply.status === 404 && RECORDED_BOOK.test(url))
    if (!isLate || Date.now() > deadlineMs) return reply
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

function chooseParameters(path: string, { operationId, parameters = [] }: Operation): Values {
  const [, named = {}] = PATH_SAMPLES.find(([pattern]) => pattern.test(path)) ?? []
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  return {
    ...Object.fromEntries(inPath.map(({ name }) => [name, named[name] ?? `{${name}}`])),
    ...QUERIES[operationId.replace(/By(Event|Market)$/, '')],
  }
}

const fill = <Value extends object>(value: Value, samples: Samples): Value =>
  JSON.parse(fillSamples(JSON.stringify(value), samples))

function fillPath(path: string, parameters: Values): string {
  const query = new URLSearchParams()
  let filled = path
  for (const [name, value] of Object.entries(parameters)) {
    if (path.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    else query.set(name, `${value}`)
  }
  return query.size === 0 ? filled : `${filled}?${query}`
}
