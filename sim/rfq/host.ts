import { binaryConditionOf, structuredPositionId } from '../contracts/structured-ids.js'
import { round, toAmount } from '../markets/amounts.js'
import { bookOf, shownPrice } from '../markets/market-state.js'
import type { HostParts, HttpReply, HttpRequest } from '../server/handlers.js'
import { readInt, readList } from '../server/query.js'
import { takesOrders } from '../universe/books.js'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'

const PATH = '/v1/rfq/combo-markets'
const LIMIT = 20
const LIMIT_MAX = 100

/** The host of requests for quotes, as far as it can be read without an account: what a combo can be made of. */
export function createRfqHost(universe: Universe): HostParts {
  return {
    http: (request) => {
      const { method, path } = request
      if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'method not allowed')
      return path === PATH ? listComboMarkets(universe, request) : refuse(404, 'not found')
    },
  }
}

const refuse = (status: number, error: string): HttpReply => ({ status, body: { error } })

/** Newest market first. The cursor is the id after which the next page goes on. */
function listComboMarkets(universe: Universe, { query }: HttpRequest): HttpReply {
  const limit = readInt(query, 'limit') ?? LIMIT
  if (!(limit >= 1 && limit <= LIMIT_MAX)) return refuse(400, `limit must be 1 to ${LIMIT_MAX}`)
  const belowId = readCursor(query.get('cursor'))
  if (Number.isNaN(belowId)) return refuse(400, 'invalid cursor')
  const excluded = new Set(readList(query, 'exclude').map((id) => id.toLowerCase()))
  const open = universe.catalogue
    .events()
    .flatMap(({ negRisk, markets }) => (negRisk === undefined ? markets : []))
    .filter((market) => takesOrders(market, universe.nowMs) && Number(market.id) < belowId)
    .filter(({ conditionId }) => !excluded.has(conditionId))
    .sort((a, b) => Number(b.id) - Number(a.id))
  const page = open.slice(0, limit)
  const last = open.length > limit ? page.at(-1) : undefined
  const markets = page.map((market) => presentComboMarket(universe, market))
  const body = { markets, ...(last !== undefined && { next_cursor: showCursor(last) }) }
  return { status: 200, body }
}

const showCursor = ({ id }: Market): string => Buffer.from(id).toString('base64url')

/** NaN: it is none of ours. */
function readCursor(cursor: string | null): number {
  if (cursor === null || cursor === '') return Number.POSITIVE_INFINITY
  const text = Buffer.from(cursor, 'base64url').toString()
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
}

/** The positions are the structured ones, which the legs of combos are made of. */
function presentComboMarket(universe: Universe, market: Market): object {
  const { id, conditionId, slug, question, outcomes, event } = market
  const structured = binaryConditionOf(conditionId)
  const price = round(shownPrice(universe, market, bookOf(universe, market)))
  return {
    id,
    condition_id: conditionId,
    slug,
    title: question,
    outcomes,
    position_ids: [0, 1].map((outcome) => structuredPositionId(structured, outcome === 0 ? 0 : 1).toString()),
    outcome_prices: [String(price), String(round(1 - price))],
    image: event.image,
    volume: toAmount(universe.settledActs.volume(market)),
    tags: event.tags.map((tag) => tag.slug),
  }
}
