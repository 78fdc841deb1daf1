import type { Sql } from '../store/connection.js'
import { askInHalves } from './halves.js'
import type { MarketParts } from './parts.js'
import {
  deleteMids,
  type PriceSource,
  selectPrices,
  selectStaleMids,
  upsertMids,
} from './price-queries.js'
import { toTokenId } from './token-word.js'

/** Exact: dollars a share are `numerator / denominator`. */
export type TokenPrice = {
  numerator: bigint
  denominator: bigint
  /** `undefined`: nothing tells yet what the token is worth, so it is worth 0. */
  source: PriceSource | undefined
  /** The resolution or the fill that says so. */
  seq: bigint | undefined
  /** When the midpoint was read. */
  readAtMs: number | undefined
}

/** Prices of many tokens, by their numbers in the database; unknown tokens are absent. */
export async function selectTokenPrices(
  sql: Sql,
  tokens: readonly number[],
): Promise<Map<number, TokenPrice>> {
  const rows = await selectPrices(sql, tokens)
  return new Map(
    rows.map((row) => [
      row.token,
      {
        numerator: BigInt(row.numerator),
        denominator: BigInt(row.denominator),
        source: row.source ?? undefined,
        seq: row.seq ?? undefined,
        readAtMs: row.readAt?.getTime(),
      },
    ]),
  )
}

/** Called every minute, each midpoint is read again before it is five minutes old. */
export const REFRESH_MS = 60_000
const STALE_MS = 4 * 60_000
const TOKENS_MAX = 30_000
const TOKENS_PER_CALL = 500
const FORGET_MS = 24 * 60 * 60_000

/** Reads the midpoints that are due. What the order book does not answer keeps its last value. */
export async function refreshMids(parts: MarketParts, signal: AbortSignal): Promise<void> {
  const { store, clock } = parts
  const due = { beforeMs: clock.now() - STALE_MS, limit: TOKENS_MAX }
  const tokens = await selectStaleMids(store.sql, due)
  for (let at = 0; at < tokens.length; at += TOKENS_PER_CALL)
    await readMids(parts, tokens.slice(at, at + TOKENS_PER_CALL), signal)
  await deleteMids(store.sql, clock.now() - FORGET_MS)
}

async function readMids(
  { clob, store, clock, metrics, log }: MarketParts,
  tokens: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const mids = await askInHalves(
    tokens.map(toTokenId),
    (ids) => clob.getMidpoints(ids, signal),
    (token, err) => log.warn({ err, token }, 'a midpoint cannot be read'),
  )
  const rows = tokens.map((token) => ({ token, mid: toMillionths(mids.get(toTokenId(token))) }))
  await upsertMids(store.sql, rows, clock.now())
  const found = rows.filter(({ mid }) => mid !== null).length
  metrics.mids.inc({ result: 'found' }, found)
  metrics.mids.inc({ result: 'none' }, rows.length - found)
}

const ONE = 1_000_000

/** Of a decimal between 0 and 1; null for anything else. Digits beyond the sixth are cut off. */
export function toMillionths(decimal: string | undefined): number | null {
  const [whole = '', fraction = ''] = decimal?.split('.') ?? []
  if (whole === '') return null
  const millionths = Number(whole) * ONE + Number(fraction.slice(0, 6).padEnd(6, '0'))
  return millionths <= ONE ? millionths : null
}
