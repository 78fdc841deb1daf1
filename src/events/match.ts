import type { FillFact } from '../chain/facts/fill.js'
import { feeInMoney } from '../core/money.js'
import { blockOf, logIndexOf } from '../core/seq.js'
import { groupBy } from '../lib/group-by.js'
import type { PendingFill, PendingMatch } from '../upstreams/polygon/calldata.js'
import type { Generation } from '../upstreams/polygon/contracts.js'
import type { Side } from '../upstreams/polygon/order.js'
import { orderHash } from '../upstreams/polygon/order.js'

/** What one transaction trades, before or after it is in a block. */
export type Match = {
  txHash: string
  exchange: string
  generation: Generation
  /** The order that took. It is not among the rows where an operator filled an order itself. */
  taker: MatchRow
  /** One for each order: the makers', then the taker's own. */
  rows: readonly MatchRow[]
  /** From the call of a pending match; `undefined` after settlement, because logs of fills lack it. */
  conditionId: string | undefined
  /** Of a combo that the same call prepares. */
  legs: readonly string[] | undefined
}

/** The part of one order, seen from its owner. */
export type MatchRow = {
  orderHash: string
  maker: string
  /** `undefined` after settlement: logs do not name it. */
  signer: string | undefined
  /** Of the pending order: 0 a plain key, 1 to 3 kinds of contract wallets. */
  signatureType: number | undefined
  taker: string
  isTaker: boolean
  token: string
  side: Side
  usd: bigint
  shares: bigint
  /** In money; `undefined`: decided at settlement. */
  fee: bigint | undefined
  block: number | undefined
  logIndex: number | undefined
}

/** When a match was detected first, and in which block; `undefined`: it was still pending. */
export type Detection = { detectedMs: number; block: number | undefined }

/** A match is in a block. `detectedMs` is `undefined` if it was not detected before. */
export type Confirmation = { block: number; confirmedMs: number; detectedMs: number | undefined }

export function toPendingMatch(txHash: string, call: PendingMatch): Match {
  const { exchange, generation, conditionId, legs } = call
  const wallet = call.taker.order.maker
  const toRow = ({ order, usd, shares, fee }: PendingFill, isTaker: boolean): MatchRow => ({
    orderHash: orderHash(order, exchange),
    maker: order.maker,
    signer: order.signer,
    signatureType: order.signatureType,
    taker: wallet,
    isTaker,
    token: order.tokenId,
    side: order.side,
    usd,
    shares,
    fee,
    block: undefined,
    logIndex: undefined,
  })
  const taker = toRow(call.taker, true)
  const rows = [...call.makers.map((maker) => toRow(maker, false)), taker]
  return { txHash, exchange, generation, taker, rows, conditionId, legs }
}

/** Takes all fills of one transaction, in the order of their logs. */
export function toSettledMatch(fills: Fills): Match {
  const [first] = fills
  const rows = fills.map(toSettledRow)
  return {
    txHash: first.txHash,
    exchange: first.exchange,
    generation: first.generation,
    taker: rows.find(({ isTaker }) => isTaker) ?? mirror(toSettledRow(first)),
    rows,
    conditionId: undefined,
    legs: undefined,
  }
}

type Fills = readonly [FillFact, ...FillFact[]]

export const groupByTransaction = (fills: readonly FillFact[]): Fills[] => [
  ...groupBy(fills, ({ txHash }) => txHash).values(),
]

function toSettledRow(fill: FillFact): MatchRow {
  const { orderHash, wallet: maker, taker, isTaker, token, side, usd, shares } = fill
  return {
    orderHash,
    maker,
    taker,
    isTaker,
    token,
    side,
    usd,
    shares,
    signer: undefined,
    signatureType: undefined,
    fee: feeInMoney(fill),
    block: blockOf(fill.seq),
    logIndex: logIndexOf(fill.seq),
  }
}

/** An operator of the first exchanges could fill an order itself, without an order of its own. */
const mirror = (row: MatchRow): MatchRow => ({
  ...row,
  maker: row.taker,
  side: row.side === 'BUY' ? 'SELL' : 'BUY',
})
