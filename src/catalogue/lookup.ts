import type { GammaMarket } from '../upstreams/gamma/messages.js'
import { askInHalves } from './halves.js'
import { type KnownMarket, toKnownMarket } from './info.js'
import { keep } from './keep.js'
import type { MarketParts } from './parts.js'
import { selectInfos } from './queries.js'
import { toTokenId } from './token-word.js'
import type { Keys } from './unseen.js'

/** So many are looked up together: a handful of calls. */
const BATCH_MAX = 500

/**
 * Looks up what waits: in the database, and what is not there at Gamma. Throws when either does not
 * answer; the keys then wait on.
 */
export async function lookUpUnseen(parts: MarketParts, signal: AbortSignal): Promise<void> {
  const { catalogue } = parts
  const { unseen } = catalogue
  const keys = unseen.take(BATCH_MAX)
  try {
    const stored = await readStored(parts, keys)
    const missing = without(keys, stored)
    const found = await askGamma(parts, missing, signal)
    const all = [...stored, ...found]
    for (const market of all) catalogue.put(market)
    settle(parts, keys, all)
  } catch (error) {
    unseen.putBack(keys)
    throw error
  }
}

async function readStored({ store }: MarketParts, keys: Keys): Promise<KnownMarket[]> {
  const rows = await selectInfos(store.sql, keys.tokens, keys.conditions)
  return rows.map(toKnownMarket)
}

async function askGamma(
  parts: MarketParts,
  { tokens, conditions }: Keys,
  signal: AbortSignal,
): Promise<KnownMarket[]> {
  const { gamma, log } = parts
  if (tokens.length + conditions.length === 0) return []
  const onOdd = (key: string, err: unknown) => {
    parts.metrics.odd.inc()
    log.warn({ err, key }, 'a market cannot be read')
  }
  const found = [
    await askInHalves(tokens.map(toTokenId), (ids) => gamma.getMarketsByTokens(ids, signal), onOdd),
    await askInHalves(conditions, (ids) => gamma.getMarketsByConditions(ids, signal), onOdd),
  ]
  const markets = new Map<string, GammaMarket>()
  for (const market of found.flatMap((byKey) => [...byKey.values()])) markets.set(market.id, market)
  return await keep(parts, { markets: [...markets.values()] })
}

function without({ tokens, conditions }: Keys, markets: readonly KnownMarket[]): Keys {
  const known = keysOf(markets)
  return {
    tokens: tokens.filter((key) => !known.has(key)),
    conditions: conditions.filter((key) => !known.has(key)),
  }
}

function settle({ catalogue }: MarketParts, keys: Keys, markets: readonly KnownMarket[]): void {
  const known = keysOf(markets)
  for (const key of [...keys.tokens, ...keys.conditions])
    catalogue.unseen.settle(key, known.has(key))
}

const keysOf = (markets: readonly KnownMarket[]): Set<string> =>
  new Set(markets.flatMap(({ info, tokens }) => [info.conditionId, ...tokens]))
