import { toTokenId } from '../core/ids.js'
import { averagePriceOf, worthOf } from '../lookups/position.js'
import type { Sql } from '../store/connection.js'
import type { DataApiClient } from '../upstreams/data-api/client.js'
import type { DataPosition } from '../upstreams/data-api/parse.js'
import { CannotCompare } from './cannot-compare.js'
import { compareFields, type OurPosition, statusesOf } from './position-fields.js'
import { type LedgerPosition, selectLedgerPositions } from './queries.js'
import type { ComparedSpan, PlatformDifference, WalletComparison } from './wallet-comparison.js'

const ROWS_PER_PAGE = 2_000
/** Positions of one wallet that are read from the platform: a few hundred bytes of memory each. */
const POSITIONS_MAX = 500_000

export type CompareDeps = {
  sql: Sql
  dataApi: DataApiClient
  address: string
  /** `undefined`: no fact names it. */
  wallet: number | undefined
  span: ComparedSpan
  /** Called with the rows that were read of the platform, which takes most of the time. */
  onRows: (count: number) => void
}

type Compared = Pick<WalletComparison, 'positions' | 'tooNew' | 'tooOld' | 'differences'>

/**
 * Compares the open and closed positions of a wallet. The platform is read first: a position that
 * changes in the meantime is too new by the time of its last change, and is left out.
 */
export async function comparePositions(deps: CompareDeps): Promise<Compared> {
  const { span } = deps
  const theirs = await readPositions(deps)
  const result: Compared = { positions: 0, tooNew: 0, tooOld: 0, differences: [] }
  for await (const page of eachLedgerPage(deps)) {
    for (const ours of page) {
      countPair(result, span, ours, theirs.get(ours.token))
      theirs.delete(ours.token)
    }
  }
  for (const row of theirs.values()) countPair(result, span, undefined, row)
  return result
}

/** By token. A position that closes between the two lists is in both: the later one counts. */
async function readPositions({ dataApi, address, onRows }: CompareDeps): Promise<Map<string, DataPosition>> {
  const theirs = new Map<string, DataPosition>()
  for (const status of ['OPEN', 'CLOSED'] as const) {
    for await (const page of dataApi.eachPositions(address, status)) {
      for (const row of page) theirs.set(row.token, row)
      onRows(page.length)
      if (theirs.size > POSITIONS_MAX) {
        throw new CannotCompare(`the platform lists more than ${POSITIONS_MAX} positions`)
      }
    }
  }
  return theirs
}

async function* eachLedgerPage({ sql, wallet }: CompareDeps): AsyncGenerator<LedgerPosition[]> {
  if (wallet === undefined) return
  for (let after = 0; ; ) {
    const page = await selectLedgerPositions(sql, wallet, { after, limit: ROWS_PER_PAGE })
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < ROWS_PER_PAGE) return
    after = last.id
  }
}

/** Counts one token of the wallet, which at least one side has. */
function countPair(
  result: Compared,
  span: ComparedSpan,
  ours: LedgerPosition | undefined,
  theirs: DataPosition | undefined,
): void {
  if (Math.max(ours?.lastSec ?? 0, theirs?.lastEventSec ?? 0) > span.toSec) result.tooNew++
  else if (theirs !== undefined && beganSec(theirs, span) < span.fromSec) result.tooOld++
  else {
    result.positions++
    result.differences.push(...comparePair(span, ours, theirs))
  }
}

/** When shares first came, as far as the platform says so. */
const beganSec = ({ firstEntrySec, lastEventSec }: DataPosition, { fromSec }: ComparedSpan): number =>
  firstEntrySec ?? lastEventSec ?? fromSec

function comparePair(
  span: ComparedSpan,
  ours: LedgerPosition | undefined,
  theirs: DataPosition | undefined,
): PlatformDifference[] {
  const shown = {
    what: 'position' as const,
    token: toTokenId(ours?.token ?? theirs?.token ?? ''),
    slug: ours?.slug ?? theirs?.slug,
    outcome: ours?.outcome ?? theirs?.outcome,
  }
  const position = ours === undefined ? undefined : toOurPosition(ours, span)
  if (position !== undefined && theirs !== undefined) {
    return compareFields(position, theirs).map((difference) => ({ ...shown, ...difference }))
  }
  // Less than the platform counts, and never bought: no list has to have it.
  if (position?.bought === 0n && statusesOf(position).includes('CLOSED')) return []
  const status = position === undefined ? undefined : statusesOf(position)[0]
  const listed = { field: 'listed', ours: status, theirs: theirs?.status, by: undefined }
  return [{ ...shown, ...listed }]
}

function toOurPosition(row: LedgerPosition, { toSec, isBehind }: ComparedSpan): OurPosition {
  const { balance, bought, realized, numerator, denominator, resolvedSec } = row
  const average = averagePriceOf(row) ?? 0n
  if (numerator === null || denominator === null) {
    return { balance, bought, realized, average, payout: undefined, isResultNew: isBehind }
  }
  const price = { numerator: BigInt(numerator), denominator: BigInt(denominator) }
  const payout = worthOf(1_000_000n, price)
  return { balance, bought, realized, average, payout, isResultNew: (resolvedSec ?? 0) > toSec }
}
