import { codeOf } from '../core/errors.js'
import { bisect } from '../lib/bisect.js'
import type { Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import type { GammaEvent, GammaMarket } from '../upstreams/gamma/messages.js'
import type { KnownMarket } from './market-info.js'
import type { MarketParts } from './parts.js'
import { addOdd } from './queries.js'
import { type Stored, storeEvents, storeMarkets } from './store.js'

/** What was read: whole events, markets by themselves, and how many entries had something odd. */
type Reading = {
  events?: readonly GammaEvent[]
  markets?: readonly GammaMarket[]
  odd?: number
}

/**
 * Writes what was read, with whatever else belongs into the same transaction, and then brings memory
 * up to date: closed markets only where they are there already.
 */
export async function keep(
  { store, clock, catalogue, metrics, log }: MarketParts,
  { events = [], markets = [], odd = 0 }: Reading,
  also?: (tx: Sql) => Promise<void>,
): Promise<KnownMarket[]> {
  const nowMs = clock.now()
  const writeEvents = (tx: Sql, some: readonly GammaEvent[]) => storeEvents(tx, some, nowMs)
  const writeMarkets = (tx: Sql, some: readonly GammaMarket[]) => storeMarkets(tx, some, nowMs)
  const finish = async (tx: Sql, whole: Stored, single: Stored): Promise<Stored> => {
    const stored = join({ markets: [], odd }, whole, single)
    if (stored.odd > 0) await addOdd(tx, stored.odd)
    await also?.(tx)
    return stored
  }

  const stored = await transact(store.sql, async (tx) =>
    finish(tx, await writeEvents(tx, events), await writeMarkets(tx, markets)),
  ).catch(async (error: unknown) => {
    if (!isRefusal(error)) throw error
    let refused = 0
    const onRefused = (_entry: unknown, err: unknown) => {
      refused++
      log.warn({ err }, 'an entry of the catalogue cannot be stored')
    }
    const writeAlone = <Entry>(
      entries: readonly Entry[],
      write: (tx: Sql, some: readonly Entry[]) => Promise<Stored>,
    ) =>
      bisect(entries, (some) => transact(store.sql, (tx) => write(tx, some)), {
        isRefusal,
        onRefused,
      })
    const whole = join(...(await writeAlone(events, writeEvents)))
    const single = join(...(await writeAlone(markets, writeMarkets)))
    return await transact(store.sql, (tx) =>
      finish(tx, whole, join(single, { markets: [], odd: refused })),
    )
  })
  metrics.odd.inc(stored.odd)
  for (const market of stored.markets) {
    if (market.isOpen) catalogue.put(market)
    else catalogue.refresh(market)
  }
  return stored.markets
}

// Data that a column cannot hold, a constraint, a limit: the same rows will be refused again.
const REFUSALS = new Set(['22', '23', '54'])

const isRefusal = (error: unknown): boolean => REFUSALS.has(codeOf(error)?.slice(0, 2) ?? '')

const join = (...parts: readonly Stored[]): Stored => ({
  markets: parts.flatMap(({ markets }) => markets),
  odd: parts.reduce((sum, { odd }) => sum + odd, 0),
})
