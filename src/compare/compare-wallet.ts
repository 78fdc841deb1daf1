import { selectState, selectTimeFrom } from '../chain/queries.js'
import { Progress } from '../lib/progress.js'
import { selectWalletId } from '../lookups/ids.js'
import type { Sql } from '../store/connection.js'
import type { DataApiClient } from '../upstreams/data-api/client.js'
import { CannotCompare } from './cannot-compare.js'
import { comparePositions } from './compare-positions.js'
import { compareTrades } from './compare-trades.js'
import { selectWalletSize } from './queries.js'
import type { ComparedSpan, WalletComparison } from './wallet-comparison.js'

/**
 * What can be compared: from the first block of the ledger, or the first one whose facts are kept, to
 * some time before the last one, because the platform indexes a block later. Throws without a ledger.
 */
export async function selectSpan(sql: Sql, settleSec: number, nowSec: number): Promise<ComparedSpan> {
  const { ledgerFrom, keptFrom, block: headBlock, blockTime: headSec } = await selectState(sql)
  const fromBlock = Math.max(ledgerFrom ?? 0, keptFrom ?? 0)
  const fromSec = await selectTimeFrom(sql, fromBlock)
  if (ledgerFrom === null || headBlock === null || headSec === null || fromSec === undefined) {
    throw new CannotCompare('no block is booked yet')
  }
  const toSec = headSec - settleSec
  if (toSec < fromSec) throw new CannotCompare(`the ledger has less than ${settleSec} s so far`)
  return { fromSec, toSec, headBlock, isBehind: headSec < nowSec - settleSec }
}

export type WalletDeps = { sql: Sql; dataApi: DataApiClient; span: ComparedSpan }

/** Compares one wallet. Throws an `UpstreamError` or `CannotCompare` when that is not possible. */
export async function compareWallet(
  { sql, dataApi, span }: WalletDeps,
  address: string,
): Promise<WalletComparison> {
  const wallet = await selectWalletId(sql, address)
  const total = wallet === undefined ? 0 : await selectWalletSize(sql, wallet)
  // The platform has about as many rows as the ledger.
  const progress = new Progress({ title: `Comparing ${address}`, unit: 'rows', total })
  let done = 0
  const onRows = (count: number) => {
    done += count
    progress.show(done)
  }
  try {
    progress.show(0)
    const deps = { sql, dataApi, address, wallet, span, onRows }
    const { differences, ...positions } = await comparePositions(deps)
    const trades = await compareTrades(deps)
    const found = {
      wallet: address,
      ...positions,
      ...trades,
      differences: [...differences, ...trades.differences],
    }
    refuseNothing(found)
    return found
  } finally {
    progress.end()
  }
}

function refuseNothing({ positions, trades, tooNew, tooOld }: WalletComparison): void {
  if (positions + trades > 0) return
  throw new CannotCompare(
    tooNew + tooOld === 0
      ? 'neither the platform nor this database has a position or a trade of it'
      : 'all of its positions changed after the time that is compared, or began before it',
  )
}
