import { codeOf } from '../core/errors.js'
import { bisect } from '../lib/bisect.js'
import type { Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import type { GammaEvent, GammaMarket } from '../upstreams/gamma/parse.js'
import type { CatalogueDeps } from './deps.js'
import { type KnownMarket, toKnownMarket } from './market-info.js'
import { addInvalidCount, upsertCatalogue, upsertLooseMarkets } from './queries.js'
import { type CatalogueRows, toRows } from './rows.js'

/** What was read from Gamma: whole events, markets without their event, and how many entries were malformed. */
type Entries = { events?: readonly GammaEvent[]; markets?: readonly GammaMarket[]; invalid?: number }

type Entry = { event: GammaEvent } | { market: GammaMarket }

/** `invalid`: how many entries could not be stored, or not in full. */
type Stored = { markets: KnownMarket[]; invalid: number }

/**
 * Writes what was read from Gamma, together with what `also` writes, in one transaction, and then
 * brings memory up to date: open markets are put there, closed ones only if they are there already.
 * Entries that the database refuses are left out; the others are then written in several transactions,
 * and `also` in the last one.
 */
export async function storeEntries(
  { store, clock, catalogue, metrics, floodLog }: CatalogueDeps,
  { events = [], markets = [], invalid = 0 }: Entries,
  also?: (tx: Sql) => Promise<void>,
): Promise<KnownMarket[]> {
  const nowMs = clock.now()
  const entries = [...events.map((event) => ({ event })), ...markets.map((market) => ({ market }))]
  const finish = async (tx: Sql, pieces: readonly Stored[]): Promise<Stored> => {
    const stored = join([{ markets: [], invalid }, ...pieces])
    if (stored.invalid > 0) await addInvalidCount(tx, stored.invalid)
    await also?.(tx)
    return stored
  }
  const storeApart = async (): Promise<Stored> => {
    const refused: Stored[] = []
    const onRefused = (_entry: Entry, err: unknown) => {
      floodLog.write('warn', 'an entry of the catalogue cannot be stored', () => ({ err }))
      refused.push({ markets: [], invalid: 1 })
    }
    const write = (some: readonly Entry[]) => transact(store.sql, (tx) => upsertEntries(tx, some, nowMs))
    const stored = await bisect(entries, write, { isRefusal, onRefused })
    return await transact(store.sql, (tx) => finish(tx, [...stored, ...refused]))
  }
  const stored = await transact(store.sql, async (tx) =>
    finish(tx, [await upsertEntries(tx, entries, nowMs)]),
  ).catch((error: unknown) => {
    if (isRefusal(error)) return storeApart()
    throw error
  })
  metrics.invalidEntries.inc(stored.invalid)
  for (const market of stored.markets) {
    if (market.isOpen) catalogue.put(market)
    else catalogue.refresh(market)
  }
  return stored.markets
}

// Data that a column cannot hold, a constraint, a limit: the same rows will be refused again.
const isRefusal = (error: unknown): boolean => ['22', '23', '54'].includes(codeOf(error)?.slice(0, 2) ?? '')

const join = (pieces: readonly Stored[]): Stored => ({
  markets: pieces.flatMap(({ markets }) => markets),
  invalid: pieces.reduce((sum, { invalid }) => sum + invalid, 0),
})

async function upsertEntries(tx: Sql, entries: readonly Entry[], nowMs: number): Promise<Stored> {
  const events = entries.flatMap((entry) => ('event' in entry ? entry.event : []))
  const markets = entries.flatMap((entry) => ('market' in entry ? entry.market : []))
  return join([await upsertEvents(tx, events, nowMs), await upsertMarkets(tx, markets, nowMs)])
}

/** Whole events with all their markets. */
export async function upsertEvents(tx: Sql, events: readonly GammaEvent[], nowMs: number): Promise<Stored> {
  if (events.length === 0) return { markets: [], invalid: 0 }
  const placed = events.flatMap((event) => event.markets.map((market) => ({ market, event })))
  const rows = toRows(events, placed, nowMs)
  await upsertCatalogue(tx, rows)
  return { markets: toKnown(rows), invalid: events.length - rows.events.length }
}

/** Markets that were read without their event. */
async function upsertMarkets(tx: Sql, markets: readonly GammaMarket[], nowMs: number): Promise<Stored> {
  if (markets.length === 0) return { markets: [], invalid: 0 }
  const placed = markets.map((market) => ({ market, event: market.events[0] }))
  const heads = placed.flatMap(({ event }) => event ?? [])
  const rows = toRows(heads, placed, nowMs)
  await upsertLooseMarkets(tx, rows)
  return { markets: toKnown(rows), invalid: markets.length - rows.markets.length }
}

function toKnown({ events, markets }: CatalogueRows): KnownMarket[] {
  const byId = new Map(events.map((event) => [event.id, event]))
  const digits = (bytes: string) => bytes.slice(2)
  return markets.flatMap((market) => {
    const { condition, tokens } = market
    if (condition === null) return []
    const event = byId.get(market.event ?? -1)
    return toKnownMarket({
      ...market,
      condition: digits(condition),
      eventTitle: event?.title ?? null,
      eventSlug: event?.slug ?? null,
      negRisk: market.neg_risk,
      tickSize: market.tick_size,
      takerBaseFee: market.taker_base_fee,
      tokens: tokens.map(digits),
    })
  })
}
