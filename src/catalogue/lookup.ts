import { toTokenId } from '../core/ids.js'
import { UpstreamError } from '../core/upstream-error.js'
import { bisect } from '../lib/bisect.js'
import type { GammaMarket } from '../upstreams/gamma/parse.js'
import type { CatalogueDeps } from './deps.js'
import type { LookupCounts, LookupKeys } from './lookup-queue.js'
import { type KnownMarket, toKnownMarket } from './market-info.js'
import { selectMarketInfos } from './queries.js'
import { storeEntries } from './store.js'

/** Keys of one run: a handful of calls. */
const BATCH_MAX = 500

/**
 * Looks up the keys that wait, in the database and, where it does not have them, at Gamma. Throws when
 * either does not answer; the keys then wait for the next run.
 */
export async function lookUpQueued(deps: CatalogueDeps, signal: AbortSignal): Promise<void> {
  const { catalogue, store } = deps
  const { lookups } = catalogue
  const keys = lookups.take(BATCH_MAX)
  try {
    const rows = await selectMarketInfos(store.sql, keys.tokens, keys.conditions)
    const stored = rows.map(toKnownMarket)
    const isStored = keyFilter(stored)
    const missing = {
      tokens: keys.tokens.filter((key) => !isStored(key)),
      conditions: keys.conditions.filter((key) => !isStored(key)),
    }
    const read = await readFromGamma(deps, missing, signal)
    for (const market of [...stored, ...read]) catalogue.put(market)
    const isRead = keyFilter(read)
    for (const key of [...keys.tokens, ...keys.conditions]) {
      lookups.settle(key, isStored(key) || isRead(key))
    }
    for (const key of [...missing.tokens, ...missing.conditions]) {
      if (isRead(key)) lookups.counts.found++
      else lookups.counts.absent++
    }
  } catch (error) {
    countFailure(lookups.counts, error)
    lookups.putBack(keys)
    throw error
  }
}

/** Counts a failed call of Gamma by how far it came; other errors are of the database. */
function countFailure(counts: LookupCounts, error: unknown): void {
  if (!(error instanceof UpstreamError)) return
  if (error.status === undefined) counts.requestErrors++
  else if (error.status < 300) counts.parseErrors++
  else counts.statusErrors++
}

/** Whether a key is the condition or a token of one of the markets. */
function keyFilter(markets: readonly KnownMarket[]): (key: string) => boolean {
  const keys = new Set(markets.flatMap(({ info, tokens }) => [info.conditionId, ...tokens]))
  return (key) => keys.has(key)
}

async function readFromGamma(
  deps: CatalogueDeps,
  { tokens, conditions }: LookupKeys,
  signal: AbortSignal,
): Promise<KnownMarket[]> {
  const { gamma, catalogue, floodLog } = deps
  if (tokens.length + conditions.length === 0) return []
  const onRefused = (key: string, err: unknown) => {
    deps.metrics.invalidEntries.inc()
    catalogue.lookups.counts.unreadable++
    floodLog.write('warn', 'a market cannot be read', () => ({ err, key }))
  }
  const options = { isRefusal: isUnreadable, onRefused }
  const ids = tokens.map(toTokenId)
  const found = [
    ...(await bisect(ids, (some) => gamma.getMarketsByTokens(some, signal), options)),
    ...(await bisect(conditions, (some) => gamma.getMarketsByConditions(some, signal), options)),
  ]
  const markets = new Map<string, GammaMarket>()
  for (const market of found.flatMap((byKey) => [...byKey.values()])) markets.set(market.id, market)
  return await storeEntries(deps, { markets: [...markets.values()] })
}

/** The answer came and cannot be parsed: one of the requested entries is malformed. */
export const isUnreadable = (error: unknown): boolean => error instanceof UpstreamError && !error.retryable
