import { orderHash } from '../contracts/order-hash.js'
import { isoTime } from '../markets/amounts.js'
import { namesOf } from '../markets/names.js'
import { readInt } from '../server/query.js'
import { type Fill, isV1 } from '../universe/acts.js'
import { BUILDER_FEE_BPS } from '../universe/orders.js'
import type { SettledMatch } from '../universe/settled-acts.js'
import type { Universe } from '../universe/universe.js'
import type { Builder } from '../universe/wallet.js'
import { type CursorPage, END_CURSOR, readCursor, showCursor } from './cursor.js'
import { decimal } from './order-book.js'
import { Refusal } from './refusal.js'

const TRADES_MAX = 300

type Filters = {
  builder: Builder | undefined
  market: string | undefined
  assetId: string | undefined
  id: string | undefined
  afterSec: number
  beforeSec: number
}

/**
 * Orders that were filled through a builder's app, newest first: each order of a match is a row. The
 * cursor counts matches from the first of all, so pages stay what they are while new ones settle.
 */
export function listBuilderTrades(universe: Universe, query: URLSearchParams): CursorPage {
  const filters = readFilters(universe, query)
  const { matches } = universe.settledActs
  const cursor = query.get('next_cursor')
  // The first cursor is that of 0.
  const from = cursor === END_CURSOR ? 0 : readCursor(cursor) || matches.length
  let at = Math.min(from, matches.length)
  const data: object[] = []
  for (; at > 0 && data.length < TRADES_MAX; at--) {
    const settled = matches[at - 1]
    if (settled !== undefined) data.push(...rowsOf(settled, filters))
  }
  const next_cursor = at > 0 ? showCursor(at) : END_CURSOR
  return { limit: TRADES_MAX, count: data.length, next_cursor, data }
}

/** What the app adds to the fee of its takers. */
export function showBuilderFees(universe: Universe, code: string): object {
  if (findBuilder(universe, code) === undefined) throw new Refusal(404, 'builder not found')
  return { builder_maker_fee_rate_bps: 0, builder_taker_fee_rate_bps: BUILDER_FEE_BPS }
}

function readFilters(universe: Universe, query: URLSearchParams): Filters {
  const code = query.get('builder_code') ?? ''
  if (!/^0x[0-9a-fA-F]{64}$/.test(code)) throw new Refusal(400, 'Invalid builder code')
  const afterSec = readInt(query, 'after') ?? 0
  const beforeSec = readInt(query, 'before') ?? Number.MAX_SAFE_INTEGER
  if (Number.isNaN(afterSec)) throw new Refusal(400, 'Invalid after')
  if (Number.isNaN(beforeSec)) throw new Refusal(400, 'Invalid before')
  return {
    builder: findBuilder(universe, code),
    market: query.get('market')?.toLowerCase() || undefined,
    assetId: query.get('asset_id') || undefined,
    id: query.get('id') || undefined,
    afterSec,
    beforeSec,
  }
}

const findBuilder = ({ builders }: Universe, code: string): Builder | undefined =>
  builders.find((builder) => builder.code === code.toLowerCase())

/** Orders of the first exchanges name no builder. */
function rowsOf(settled: SettledMatch, filters: Filters): object[] {
  const { act, hash } = settled.tx
  const { builder, market, assetId, id, afterSec, beforeSec } = filters
  const matchSec = Math.floor(act.matchedMs / 1000)
  if (builder === undefined || isV1(act.exchange)) return []
  if (market !== undefined && act.of.conditionId !== market) return []
  if (matchSec <= afterSec || matchSec >= beforeSec) return []
  return [act.taker, ...act.makers].flatMap((fill, index) => {
    const { wallet, token } = fill.order
    const isWanted = assetId === undefined || token.decimal === assetId
    if (wallet.builder !== builder || !isWanted) return []
    const tradeId = `${hash}-${index}`
    return id === undefined || id === tradeId ? [presentTrade(settled, fill, index, tradeId)] : []
  })
}

function presentTrade({ tx, block }: SettledMatch, fill: Fill, index: number, id: string): object {
  const { order, shares, usd, fee } = fill
  const { wallet, token, side } = order
  const { matchedMs, taker } = tx.act
  const settledTime = isoTime(block.timestampSec * 1000)
  return {
    id,
    tradeType: index === 0 ? 'TAKER' : 'MAKER',
    takerOrderHash: orderHash(taker.order),
    builder: wallet.builder?.code,
    market: token.of.conditionId,
    assetId: token.decimal,
    side,
    size: decimal(shares, 6),
    sizeUsdc: decimal(usd, 6),
    price: decimal(Math.round((usd * 10_000) / shares), 4),
    status: 'TRADE_STATUS_CONFIRMED',
    outcome: namesOf(token).outcome,
    outcomeIndex: token.outcome,
    owner: wallet.owner,
    maker: wallet.address,
    transactionHash: tx.hash,
    matchTime: String(Math.floor(matchedMs / 1000)),
    bucketIndex: 0,
    fee: decimal(fee, 6),
    feeUsdc: decimal(fee, 6),
    err_msg: null,
    createdAt: isoTime(matchedMs),
    updatedAt: settledTime,
  }
}
