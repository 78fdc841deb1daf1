import { parseBytes32, parseTokenId } from '../core/ids.js'
import { joinSearchTexts, wordsOf } from '../lookups/search-text.js'
import type { GammaEventHead, GammaMarket, GammaSeriesHead, GammaTag } from '../upstreams/gamma/parse.js'

/** A market and the event that it belongs to. */
type PlacedMarket = { market: GammaMarket; event: GammaEventHead | undefined }

export type EventTagRow = { event: number; tag: number; place: number }
type MarketRow = NonNullable<ReturnType<typeof toMarketRow>>
type TokenRow = { token: string; market: number; outcome: number }

export type CatalogueRows = ReturnType<typeof toRows>

/** Rows as the tables have them, each key once and in ascending order. */
export function toRows(events: readonly GammaEventHead[], markets: readonly PlacedMarket[], nowMs: number) {
  const marketRows = uniqueById(markets.map(({ market, event }) => toMarketRow(market, event, nowMs)))
  return {
    series: uniqueById(events.flatMap((event) => event.series.map(toSeriesRow))),
    tags: uniqueById(events.flatMap((event) => event.tags.map(toTagRow))),
    events: uniqueById(events.map((event) => toEventRow(event, nowMs))),
    eventTags: unique(events.map(toTagging), ({ event }) => event).flatMap(toEventTagRows),
    markets: marketRows,
    tokens: uniqueTokens(marketRows),
    ...toTexts(events, markets),
  }
}

/** What search reads of them. */
function toTexts(events: readonly GammaEventHead[], markets: readonly PlacedMarket[]) {
  const marketTexts = unique(markets.map(toMarketText), ({ market }) => market)
  const eventTexts = unique(events.map(toEventText), ({ event }) => event)
  const words = [...marketTexts, ...eventTexts].flatMap(({ text }) => wordsOf(text))
  return { marketTexts, eventTexts, words: [...new Set(words)].sort() }
}

function toMarketText({ market, event }: PlacedMarket) {
  const id = toId(market.id)
  const fields = [market.question, market.slug, event?.title].map(toText)
  const text = joinSearchTexts(fields)
  return id === undefined ? undefined : { market: id, volume: market.volume ?? null, text }
}

function toEventText({ id, title, slug }: GammaEventHead) {
  const event = toId(id)
  const fields = [title, slug].map(toText)
  return event === undefined ? undefined : { event, text: joinSearchTexts(fields) }
}

/** The last row of each key, in the order in which every writer locks them. */
function unique<Row>(rows: readonly (Row | undefined)[], keyOf: (row: Row) => number): Row[] {
  const byKey = new Map<number, Row>()
  for (const row of rows) if (row !== undefined) byKey.set(keyOf(row), row)
  return [...byKey].sort(([a], [b]) => a - b).map(([, row]) => row)
}

const uniqueById = <Row extends { id: number }>(rows: readonly (Row | undefined)[]): Row[] =>
  unique(rows, ({ id }) => id)

function uniqueTokens(markets: readonly MarketRow[]): TokenRow[] {
  const byToken = new Map<string, TokenRow>()
  for (const { id, tokens } of markets) {
    for (const [outcome, token] of tokens.entries()) byToken.set(token, { token, market: id, outcome })
  }
  return [...byToken.values()].sort((a, b) => (a.token < b.token ? -1 : 1))
}

function toSeriesRow(series: GammaSeriesHead) {
  const id = toId(series.id)
  if (id === undefined) return undefined
  return {
    id,
    active: series.active ?? false,
    closed: series.closed ?? false,
    slug: toText(series.slug),
    title: toText(series.title),
    recurrence: toText(series.recurrence),
    image: toText(series.image),
    created_at: toTime(series.createdAtMs),
  }
}

function toTagRow(tag: GammaTag) {
  const id = toId(tag.id)
  return id === undefined ? undefined : { id, slug: toText(tag.slug), label: toText(tag.label) }
}

function toTagging({ id, tags }: GammaEventHead) {
  const event = toId(id)
  return event === undefined ? undefined : { event, tags }
}

function toEventTagRows({ event, tags }: { event: number; tags: GammaTag[] }): EventTagRow[] {
  const ids = new Set(tags.flatMap(({ id }) => toId(id) ?? []))
  const rows = [...ids].map((tag, index) => ({ event, tag, place: index }))
  return unique(rows, ({ tag }) => tag)
}

function toEventRow(event: GammaEventHead, nowMs: number) {
  const id = toId(event.id)
  if (id === undefined) return undefined
  return {
    id,
    series: toId(event.series[0]?.id) ?? null,
    first_seen: toTime(nowMs),
    gone_at: null,
    active: event.active ?? false,
    closed: event.closed ?? false,
    archived: event.archived ?? false,
    neg_risk: event.negRisk ?? false,
    live: event.live ?? null,
    ended: event.ended ?? null,
    start_at: toTime(event.startDateMs),
    starts_at: toTime(event.startTimeMs),
    end_at: toTime(event.endDateMs),
    closed_at: toTime(event.closedTimeMs),
    created_at: toTime(event.createdAtMs ?? event.creationDateMs),
    updated_at: toTime(event.updatedAtMs),
    event_date: toDate(event.eventDate),
    volume: event.volume ?? null,
    volume_24h: event.volume24hr ?? null,
    liquidity: event.liquidity ?? null,
    open_interest: event.openInterest ?? null,
    price_to_beat: event.eventMetadata?.priceToBeat ?? null,
    final_price: event.eventMetadata?.finalPrice ?? null,
    slug: toText(event.slug),
    title: toText(event.title),
    category: toText(event.category),
    image: toText(event.image),
    icon: event.icon === event.image ? null : toText(event.icon),
    game_id: toText(event.gameId),
    score: toText(event.score),
    period: toText(event.period),
    elapsed: toText(event.elapsed),
    neg_risk_market: toBytes(parseBytes32(event.negRiskMarketId)),
  }
}

function toMarketRow(market: GammaMarket, event: GammaEventHead | undefined, nowMs: number) {
  const id = toId(market.id)
  if (id === undefined) return undefined
  const prices = market.tokens.map(({ price }) => price ?? null)
  return {
    id,
    event: toId(event?.id) ?? null,
    taker_base_fee: toInteger(market.takerBaseFee),
    first_seen: toTime(nowMs),
    active: market.active ?? false,
    closed: market.closed ?? false,
    archived: market.archived ?? false,
    neg_risk: market.negRisk ?? false,
    accepting_orders: market.acceptingOrders ?? false,
    enable_order_book: market.enableOrderBook ?? false,
    start_at: toTime(market.startDateMs),
    starts_at: toTime(market.eventStartTimeMs ?? market.gameStartTimeMs),
    end_at: toTime(market.endDateMs),
    closed_at: toTime(market.closedTimeMs),
    created_at: toTime(market.createdAtMs),
    updated_at: toTime(market.updatedAtMs),
    volume: market.volume ?? null,
    volume_24h: market.volume24hr ?? null,
    liquidity: market.liquidity ?? null,
    tick_size: market.orderPriceMinTickSize ?? null,
    order_size_min: market.orderMinSize ?? null,
    fee_rate: market.feeRate ?? null,
    line: market.line ?? null,
    condition: toBytes(parseBytes32(market.conditionId)),
    question_id: toBytes(parseBytes32(market.questionId)),
    slug: toText(market.slug),
    question: toText(market.question),
    group_title: toText(market.groupItemTitle),
    category: toText(market.category),
    image: toText(market.image),
    icon: market.icon === market.image ? null : toText(market.icon),
    oracle_status: toText(market.umaResolutionStatus),
    sports_type: toText(market.sportsMarketType),
    game_id: toText(market.gameId),
    outcomes: market.outcomes.map((outcome) => toText(outcome) ?? ''),
    outcome_prices: prices.every((price) => price === null) ? null : prices,
    tokens: toTokens(market),
  }
}

/** All or none: with a gap, tokens would be assigned to the wrong outcomes. */
function toTokens({ tokens }: GammaMarket): string[] {
  const words = tokens.flatMap(({ tokenId }) => toBytes(parseTokenId(tokenId)) ?? [])
  return words.length === tokens.length ? words : []
}

/*
 * Values of columns, as PostgreSQL takes them from JSON. What a column cannot hold becomes null: one
 * invalid field of Gamma must not keep a whole page from being written.
 */

const INTEGER_MAX = 2 ** 31 - 1
const UNSTORABLE = /[\0\p{Surrogate}]/gu
// Longer texts would not fit into an index.
const TEXT_LENGTH_MAX = 2_000
// The years 1 to 9999.
const TIME_MS_MIN = -62_135_596_800_000
const TIME_MS_MAX = 253_402_300_799_999

export function toText(text: string | undefined): string | null {
  return text === undefined ? null : text.slice(0, TEXT_LENGTH_MAX).replace(UNSTORABLE, '')
}

/** A fraction of the milliseconds is kept to the microsecond. */
export function toTime(ms: number | undefined): string | null {
  const fits = ms !== undefined && ms >= TIME_MS_MIN && ms <= TIME_MS_MAX
  if (!fits) return null
  const wholeMs = Math.floor(ms)
  // Rounded, because the double next to the decimal that Gamma wrote may be just below it.
  const microseconds = Math.min(999, Math.round((ms - wholeMs) * 1000))
  return `${new Date(wholeMs).toISOString().slice(0, -1)}${String(microseconds).padStart(3, '0')}Z`
}

export function toInteger(value: number | undefined): number | null {
  return Number.isInteger(value) && Math.abs(value ?? 0) <= INTEGER_MAX ? (value ?? null) : null
}

const toBytes = (hex: string | undefined): string | null => (hex === undefined ? null : `\\x${hex.slice(2)}`)

const ID = /^\d{1,10}$/

/** `undefined`: not an id that the column can hold. */
export function toId(text: string | undefined): number | undefined {
  if (text === undefined || !ID.test(text)) return undefined
  const id = Number(text)
  return id <= INTEGER_MAX ? id : undefined
}

const DATE = /^\d{4}-(0[1-9]|1[0-2])-\d\d$/

/** A day as Gamma writes it; null for days that the calendar does not have. */
export function toDate(text: string | undefined): string | null {
  if (text === undefined || !DATE.test(text) || text.startsWith('0000')) return null
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? text : null
}
