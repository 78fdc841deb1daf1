import type { FillFact } from '../chain/attribute/tape.js'
import { toDecimal, toPrice } from '../core/money.js'
import { blockOf, logIndexOf } from '../core/seq.js'
import type { PendingFill, PendingMatch } from '../upstreams/polygon/calldata.js'
import type { Generation } from '../upstreams/polygon/contracts.js'
import type { Side } from '../upstreams/polygon/order.js'
import { orderHash } from '../upstreams/polygon/order-hash.js'

/** What one transaction trades, before or after it is in a block. */
export type Match = {
  txHash: string
  exchange: string
  generation: Generation
  /** Who took; not among the rows where it was no order but a call of the exchange. */
  taker: MatchRow
  /** One for each order: the makers', then the taker's own. */
  rows: readonly MatchRow[]
  /** What the call says; logs of fills do not. */
  conditionId: string | undefined
  /** Of a combo that the same call prepares. */
  legs: readonly string[] | undefined
}

/** The part of one order, told from the side of its owner. */
export type MatchRow = {
  orderHash: string
  maker: string
  /** `undefined`: logs do not name it. */
  signer: string | undefined
  taker: string
  isTaker: boolean
  token: string
  side: Side
  usd: bigint
  shares: bigint
  /** In money; `undefined`: decided when it settles. */
  fee: bigint | undefined
  block: number | undefined
  logIndex: number | undefined
}

export function toPendingMatch(txHash: string, call: PendingMatch): Match {
  const { exchange, generation, conditionId, legs } = call
  const wallet = call.taker.order.maker
  const toRow = ({ order, usd, shares, fee }: PendingFill, isTaker: boolean): MatchRow => ({
    orderHash: orderHash(order, exchange),
    maker: order.maker,
    signer: order.signer,
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

/** All fills of one transaction, at least one, in the order of their logs. */
export function toSettledMatch(fills: readonly [FillFact, ...FillFact[]]): Match {
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

/** The fee in money: what was kept in shares is worth what they were traded for. */
export function feeOf({ fee, isFeeInShares, usd, shares }: FillFact): bigint {
  return isFeeInShares && shares !== 0n ? (fee * usd) / shares : fee
}

/** Price, size and what both sides give, in the spelling that all events share. */
export function tradedFields({ side, usd, shares }: Pick<MatchRow, 'side' | 'usd' | 'shares'>) {
  const [made, taken] = side === 'BUY' ? [usd, shares] : [shares, usd]
  return {
    side,
    price: toPrice(usd, shares),
    size: toDecimal(shares),
    maker_amount: made.toString(),
    taker_amount: taken.toString(),
  }
}

/** Of the first exchanges nothing is said. */
export const exchangeVersion = (generation: Generation): string | undefined =>
  generation === 1 ? undefined : `v${generation}`

function toSettledRow(fill: FillFact): MatchRow {
  return {
    orderHash: fill.orderHash,
    maker: fill.wallet,
    signer: undefined,
    taker: fill.taker,
    isTaker: fill.isTaker,
    token: fill.token,
    side: fill.side,
    usd: fill.usd,
    shares: fill.shares,
    fee: feeOf(fill),
    block: blockOf(fill.seq),
    logIndex: logIndexOf(fill.seq),
  }
}

/** An operator of the first exchanges could fill an order itself, without one of its own. */
const mirror = (row: MatchRow): MatchRow => ({
  ...row,
  maker: row.taker,
  side: row.side === 'BUY' ? 'SELL' : 'BUY',
})
