import type { DemoFile } from './demo-file.js'
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
  parameters: Values
  body?: object
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
const BODIES: Record<string, (samples: Values) => object | undefined> = {
  getWallets: ({ wallet = '' }) => ({ wallets: [wallet] }),
  addPoolWallets: ({ wallet = '' }) => ({ addresses: [wallet] }),
  removePoolWallets: ({ wallet = '' }) => ({ addresses: [wallet] }),
  scoreWallets: ({ wallet = '' }) => ({ addresses: [wallet] }),
  createWebhook: ({ wallet = '', receiver_url: url = '' }) => ({
    ...{ url, event_types: ['trade', 'redemption'], description: 'desk A' },
    filters: { wallet_addresses: [wallet], min_amount_usd: 250 },
  }),
  updateWebhook: () => ({ description: 'desk B' }),
  testWebhook: () => undefined,
  rotateWebhookSecret: () => undefined,
  resendWebhookDelivery: () => undefined,
  recoverWebhookDeliveries: () => ({ since: '2026-11-16T00:00:00Z' }),
  deleteWebhook: () => undefined,
}

/** What a request needs, or shows best. A game is asked about alike by each of its names. */
const QUERIES: Record<string, (samples: Values, nowMs: number) => Values> = {
  listTicks: (_samples, nowMs) => ({ symbol: 'BTC', from: nowMs - 60_000, to: nowMs, limit: 2 }),
  listCandles: () => ({ symbol: 'BTC' }),
  getWindowPrice: (_samples, nowMs) => ({
    symbol: 'BTC',
    window: (Math.floor(nowMs / 300_000) - 1) * 300,
  }),
  getGameContext: () => ({ sources: 'online,social', max_queries: 1, max_per_query: 1 }),
  searchOnline: () => ({ q: 'bitcoin news', max_results: 2 }),
  searchMarkets: () => ({ q: 'bitcoin' }),
  searchSports: ({ league = '' }) => ({ q: league, limit: 2 }),
  listTeams: () => ({ limit: 2 }),
  listLeagueGames: () => ({ limit: 1 }),
  listSportsMarketTypes: () => ({ sport: 'nba' }),
  searchPosts: () => ({ q: '"injury report" has:links', max: 2 }),
  listUserPosts: () => ({ handle: 'MarketWire', max: 2 }),
  listLeaderboardScopes: () => ({ period: '7d', scope: 'tag' }),
  listOnchainTags: () => ({ details: 'true', limit: 2 }),
  getPoolSnapshot: () => ({ periods: '7d' }),
  exportWalletTrades: (_samples, nowMs) => ({ from: nowMs / 1000 - 3_600 }),
  getGameState: () => ({ price_limit_tokens: 2 }),
  getGamePrices: () => ({ limit_tokens: 2 }),
  getGameHistory: () => ({ limit_tokens: 2, interval: '6h', fidelity: 60 }),
  listComboActivity: ({ combo_condition_id: combo = '' }) => ({ condition_id: combo }),
}

/** Asks a demo every question of its OpenAPI document once, about the samples of the demo. */
export async function* askOperations(demo: DemoFile): AsyncGenerator<Asked> {
  const { paths } = (await (await fetch(`${demo.url}/openapi.json`)).json()) as Document
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const webhook = await makeWebhook(demo)
  const samples: Values = { ...demo.samples, ...webhook.samples }
  try {
    for (const [path, method, operation] of listOperations(paths)) {
      const { operationId, responses } = operation
      const body = BODIES[operationId]?.(samples)
      const parameters = chooseParameters(path, operation, samples, nowMs)
      const url = fillPath(path, parameters)
      const reply = await fetchMade(`${demo.url}${url}`, {
        method: method.toUpperCase(),
        headers: { 'x-api-key': demo.keys.enterprise, ...(body !== undefined && JSON_TYPE) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const { status } = reply
      const schema = responses[status]?.content?.['application/json']?.schema
      const answer: unknown = await reply.json()
      const sent = body !== undefined && { body }
      yield { operationId, url, parameters, ...sent, status, answer, schema }
    }
  } finally {
    await webhook.remove()
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** What is asked, deletions last. */
function listOperations(paths: Document['paths']): [string, Method, Operation][] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [path, method, operation] as [string, Method, Operation],
    ),
  )
  const asked = operations.filter(
    ([, method, { operationId }]) => method === 'get' || operationId in BODIES,
  )
  return asked.sort(([, a], [, b]) => Number(a === 'delete') - Number(b === 'delete'))
}

const MAKING_MS_MAX = 60_000

/** What jobs make is not there in the first seconds of a demo, and some limits are of a second. */
async function fetchMade(url: string, init: RequestInit): Promise<Response> {
  const deadlineMs = Date.now() + MAKING_MS_MAX
  for (;;) {
    const reply = await fetch(url, init)
    if (![429, 503].includes(reply.status) || Date.now() > deadlineMs) return reply
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** Names of the path that the samples have under another one. */
function chooseParameters(
  path: string,
  { operationId, parameters = [] }: Operation,
  samples: Values,
  nowMs: number,
): Values {
  const {
    wallet = '',
    builder = '',
    tag = '',
    market_slug: market = '',
    token_id: token = '',
  } = samples
  const slug = path.includes('/tags/') ? tag : market
  const id = path.startsWith('/v3/webhooks/') ? (samples.webhook_id ?? '') : token
  const named: Values = {
    ...{ ...samples, address: wallet, query: wallet, code: builder, slug, id },
    ...(path.startsWith('/v2/sports/') && gameNames(samples)),
  }
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  return {
    ...Object.fromEntries(inPath.map(({ name }) => [name, named[name] ?? ''])),
    ...QUERIES[operationId.replace(/By(Event|Market)$/, '')]?.(samples, nowMs),
  }
}

const gameNames = ({ game_slug = '', game_event_id = '', game_market_id = '' }: Values) => ({
  slug: game_slug,
  event_id: game_event_id,
  market_id: game_market_id,
})

function fillPath(path: string, parameters: Values): string {
  const query = new URLSearchParams()
  let filled = path
  for (const [name, value] of Object.entries(parameters)) {
    if (path.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    else query.set(name, `${value}`)
  }
  return query.size === 0 ? filled : `${filled}?${query}`
}
