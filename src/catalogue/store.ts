import type { Sql } from '../store/connection.js'
import type { GammaEvent, GammaMarket } from '../upstreams/gamma/messages.js'
import { type KnownMarket, toKnownMarket } from './market-info.js'
import { upsertCatalogue, upsertLooseMarkets } from './queries.js'
import { type CatalogueRows, type MarketRow, toRows } from './rows.js'

/** `odd`: how many entries could not be kept. */
export type Stored = { markets: KnownMarket[]; odd: number }

/** Writes whole events with all their markets. */
export async function storeEvents(
  tx: Sql,
  events: readonly GammaEvent[],
  nowMs: number,
): Promise<Stored> {
  if (events.length === 0) return { markets: [], odd: 0 }
  const placed = events.flatMap((event) => event.markets.map((market) => ({ market, event })))
  const rows = toRows(events, placed, nowMs)
  await upsertCatalogue(tx, rows)
  return { markets: toKnown(rows), odd: events.length - rows.events.length }
}

/** Writes markets that were found by themselves. */
export async function storeMarkets(
  tx: Sql,
  markets: readonly GammaMarket[],
  nowMs: number,
): Promise<Stored> {
  if (markets.length === 0) return { markets: [], odd: 0 }
  const placed = markets.map((market) => ({ market, event: market.events[0] }))
  const heads = placed.flatMap(({ event }) => event ?? [])
  const rows = toRows(heads, placed, nowMs)
  await upsertLooseMarkets(tx, rows)
  return { markets: toKnown(rows), odd: markets.length - rows.markets.length }
}

function toKnown({ events, markets }: CatalogueRows): KnownMarket[] {
  const byId = new Map(events.map((event) => [event.id, event]))
  const digits = (bytes: string) => bytes.slice(2)
  return markets.flatMap((market: MarketRow) => {
    const { condition, tokens } = market
    if (condition === null) return []
    const event = byId.get(market.event ?? -1)
    return toKnownMarket({
      condition: digits(condition),
      question: market.question,
      slug: market.slug,
      image: market.image,
      eventTitle: event?.title ?? null,
      eventSlug: event?.slug ?? null,
      closed: market.closed,
      negRisk: market.neg_risk,
      tickSize: market.tick_size,
      takerBaseFee: market.taker_base_fee,
      outcomes: market.outcomes,
      tokens: tokens.map(digits),
    })
  })
}
