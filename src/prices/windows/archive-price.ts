import type { Sql } from '../../store/connection.js'
import type { PriceKind } from '../../upstreams/prices/source.js'
import { type Price, type Span, selectLatest } from '../archive/latest.js'
import { newestTick } from '../newest-tick.js'
import { type CoinSymbol, streamIds } from '../streams.js'

/** `heardSec`: up to this second all sources that told the price lately have told it. */
export type ArchivePrice = { kind: PriceKind; price: number; heardSec: number }

/** The newest price in the span, of the first kind that has any; `undefined`: there is none. */
export async function selectPrice(
  sql: Sql,
  symbol: CoinSymbol,
  kinds: readonly PriceKind[],
  span: Span,
): Promise<ArchivePrice | undefined> {
  const streams = kinds.flatMap((kind) => streamIds(symbol, kind))
  return choosePrice(await selectLatest(sql, streams, span), symbol, kinds)
}

/** `latest` has the last tick of each stream that has one. */
export function choosePrice(
  latest: ReadonlyMap<number, Price>,
  symbol: CoinSymbol,
  kinds: readonly PriceKind[],
): ArchivePrice | undefined {
  for (const kind of kinds) {
    const streams = streamIds(symbol, kind)
    const newest = newestTick(latest, streams)
    if (newest === undefined) continue
    const secs = streams.flatMap((stream) => latest.get(stream)?.sec ?? [])
    return { kind, price: newest.price, heardSec: Math.min(...secs) }
  }
  return undefined
}
