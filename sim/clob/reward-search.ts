import { isoTime, round, toAmount } from '../markets/amounts.js'
import { bestAskE4, bestBidE4, bookOf, shownPrice } from '../markets/market-state.js'
import { readInt, readList, readNumber } from '../server/query.js'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { Refusal } from './refusal.js'
import { competitivenessOf, presentRewardTokens, presentTerms } from './rewards.js'

const DAY_MS = 86_400_000
const PAGE_SIZE = 100
const PAGE_SIZE_MAX = 500

type Found = {
  universe: Universe
  market: Market
  terms: ReturnType<typeof presentTerms>
  /** Of outcome 0. */
  price: number
  spread: number
  volume24hr: number
  dayChange: number
}

/** What the list can be sorted by. Texts are compared as texts. */
const ORDERS: { readonly [Name in string]?: (found: Found) => number | string } = {
  market_id: ({ market }) => Number(market.id),
  created_at: ({ market }) => market.createdMs,
  start_date: ({ market }) => market.createdMs,
  end_date: ({ market }) => market.endMs,
  reward_end_date: ({ market }) => market.endMs,
  volume_24hr: ({ volume24hr }) => volume24hr,
  spread: ({ spread }) => spread,
  price: ({ price }) => price,
  competitiveness: ({ market }) => competitivenessOf(market),
  max_spread: ({ terms }) => terms.rewards_max_spread,
  min_size: ({ terms }) => terms.rewards_min_size,
  question: ({ market }) => market.question,
  one_day_price_change: ({ dayChange }) => dayChange,
  rate_per_day: ({ terms }) => terms.rewards_config[0]?.rate_per_day ?? 0,
}

const RANGES: readonly [string, (found: Found) => number][] = [
  ['volume_24hr', ({ volume24hr }) => volume24hr],
  ['spread', ({ spread }) => spread],
  ['price', ({ price }) => price],
]

export function readPageSize(query: URLSearchParams): number {
  const size = readInt(query, 'page_size') ?? PAGE_SIZE
  if (size >= 1 && size <= PAGE_SIZE_MAX) return size
  throw new Refusal(400, 'Invalid page_size')
}

/** Those of the markets that the query asks for, in its order; by id where it names none. */
export function searchRewards(
  universe: Universe,
  markets: readonly Market[],
  query: URLSearchParams,
): Found[] {
  const wanted = markets.filter((market) => isNamed(market, query))
  const found = wanted.map((market) => find(universe, market)).filter(rangesOf(query))
  const by = ORDERS[query.get('order_by') || 'market_id']
  if (by === undefined) throw new Refusal(400, 'Invalid order_by')
  const sign = readPosition(query) === 'ASC' ? 1 : -1
  return found.sort((a, b) => {
    const [first, second] = [by(a), by(b)]
    if (first === second) return Number(a.market.id) - Number(b.market.id)
    return first < second ? -sign : sign
  })
}

function readPosition(query: URLSearchParams): 'ASC' | 'DESC' {
  const position = (query.get('position') || 'ASC').toUpperCase()
  if (position === 'ASC' || position === 'DESC') return position
  throw new Refusal(400, 'Invalid position')
}

/** Arrays are keys that repeat: `tag_slug`, `event_id`. */
function isNamed({ id, question, event }: Market, query: URLSearchParams): boolean {
  const isIn = (key: string, values: readonly string[]) => {
    const asked = readList(query, key)
    return asked.length === 0 || asked.some((value) => values.includes(value))
  }
  const contains = (key: string, text: string) =>
    text.toLowerCase().includes((query.get(key) ?? '').toLowerCase())
  return (
    isIn('market_id', [id]) &&
    isIn('event_id', [event.id]) &&
    isIn(
      'tag_slug',
      event.tags.map(({ slug }) => slug),
    ) &&
    contains('event_title', event.title) &&
    contains('q', question)
  )
}

function rangesOf(query: URLSearchParams): (found: Found) => boolean {
  const bounds = RANGES.map(([name, of]) => {
    const min = readNumber(query, `min_${name}`) ?? Number.NEGATIVE_INFINITY
    const max = readNumber(query, `max_${name}`) ?? Number.POSITIVE_INFINITY
    if (Number.isNaN(min) || Number.isNaN(max)) throw new Refusal(400, `Invalid ${name}`)
    return { of, min, max }
  })
  return (found) => bounds.every(({ of, min, max }) => of(found) >= min && of(found) <= max)
}

function find(universe: Universe, market: Market): Found {
  const { nowMs, settledActs } = universe
  const book = bookOf(universe, market)
  const price = round(shownPrice(universe, market, book))
  const thenMs = Math.max(nowMs - DAY_MS, market.createdMs)
  return {
    universe,
    market,
    terms: presentTerms(market, false),
    price,
    spread: book === undefined ? 1 : (bestAskE4(book) - bestBidE4(book)) / 10_000,
    volume24hr: toAmount(settledActs.volumeSince(market, (nowMs - DAY_MS) / 1000)),
    dayChange: round(price - universe.fairAt(market, thenMs), 4),
  }
}

export function presentRewardSearch(found: Found): object {
  const { universe, market, terms } = found
  const { event } = market
  return {
    condition_id: market.conditionId,
    market_id: market.id,
    market_slug: market.slug,
    question: market.question,
    image: event.image,
    market_competitiveness: competitivenessOf(market),
    ...terms,
    spread: found.spread,
    tokens: presentRewardTokens(universe, market),
    group_item_title: market.groupItemTitle,
    volume_24hr: found.volume24hr,
    event_id: event.id,
    event_slug: event.slug,
    created_at: isoTime(market.createdMs),
    end_date: isoTime(market.endMs),
    one_day_price_change: found.dayChange,
  }
}
