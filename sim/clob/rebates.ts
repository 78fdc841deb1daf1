import { isoDate } from '../markets/amounts.js'
import { feeSchedule, REWARD_ASSET } from '../markets/market-state.js'
import { isV1, type Match } from '../universe/acts.js'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { decimal } from './order-book.js'
import { Refusal } from './refusal.js'

/** What a maker got back of the fees of others on a UTC day, one row a market. Null without any. */
export function listRebates(universe: Universe, query: URLSearchParams): object[] | null {
  const date = readDate(query.get('date'))
  const maker = readMaker(universe, query.get('maker_address'))
  const wallet = universe.walletByOwner(maker)
  if (wallet === undefined) return null
  const rows = [...sumRebates(universe, wallet, date)].map(([market, micros]) => ({
    date,
    condition_id: market.conditionId,
    asset_address: REWARD_ASSET,
    maker_address: maker,
    rebated_fees_usdc: decimal(micros, 6),
  }))
  return rows.length === 0 ? null : rows
}

function sumRebates(universe: Universe, wallet: Wallet, date: string): Map<Market, number> {
  const sums = new Map<Market, number>()
  for (const { tx, block } of universe.settledActs.ofWallet(wallet)) {
    const { act } = tx
    if (act.kind !== 'match' || act.of.kind !== 'market') continue
    if (isoDate(block.timestampSec * 1000) !== date) continue
    const rebate = rebateOf(act, act.of, wallet)
    if (rebate > 0) sums.set(act.of, (sums.get(act.of) ?? 0) + rebate)
  }
  return sums
}

/** A part of the taker's fee, shared by the resting orders according to their money. */
function rebateOf({ exchange, taker, makers }: Match, market: Market, wallet: Wallet): number {
  const paid = taker.fee - taker.refund
  const isInShares = isV1(exchange) && taker.order.side === 'BUY'
  const fee = isInShares ? (paid * taker.usd) / taker.shares : paid
  let all = 0
  let own = 0
  for (const { order, usd } of makers) {
    all += usd
    if (order.wallet === wallet) own += usd
  }
  return all === 0 ? 0 : Math.floor((fee * feeSchedule(market).rebateRate * own) / all)
}

function readDate(text: string | null): string {
  const isDate = text !== null && /^\d{4}-\d\d-\d\d$/.test(text)
  const ms = isDate ? Date.parse(text) : Number.NaN
  if (!isDate || Number.isNaN(ms) || isoDate(ms) !== text) throw new Refusal(400, 'Invalid date')
  return text
}

/** Rebates go to the key that signs orders: the exchange does not know the wallets behind it. */
function readMaker(universe: Universe, text: string | null): string {
  if (text === null || !/^0x[0-9a-fA-F]{40}$/.test(text)) throw new Refusal(400, 'Invalid maker address')
  const address = text.toLowerCase()
  const wallet = universe.walletByAddress(address)
  if (wallet !== undefined && wallet.kind !== 'eoa')
    throw new Refusal(400, 'maker address is not a signer address')
  return address
}
