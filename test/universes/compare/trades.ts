import { idOf, isTakerOrder, type ModelFill } from '../../trades/fill-model.js'
import type { Model } from '../model/read-model.js'
import { type Comparison, type Query, type Row, requestOf } from './comparison.js'
import { byCount } from './group-by.js'
import { decimal, priceOf } from './numbers.js'
import { marketFields } from './token-fields.js'

export const NO_BUILDER = `0x${'0'.repeat(64)}`

type Role = 'maker' | 'taker'
type RoledFill = { fill: ModelFill; role: Role }

/** Whose lists are compared, of those with most fills. */
const BUILDERS_MAX = 2
const EVENTS_MAX = 1

/** Compares a list of trades: a choice of the fills of the chain, which come the oldest first. */
type Check = (path: string, query: Query, expected: readonly RoledFill[], name?: string) => Promise<void>

/** All lists of trades of markets. Trades of combos are listed apart. */
export async function compareTrades(comparison: Comparison): Promise<void> {
  const { model } = comparison
  const fills = model.fills.filter(({ isCombo }) => !isCombo)
  const ownSides = ownSidesOf(model)
  const check: Check = async (path, query, expected, name = 'trades') => {
    const found = await comparison.walk(path, name, query)
    if (found === undefined) return
    const rows = expected.map((each) => tradeRow(model, ownSides, each))
    if (query.order !== 'asc') rows.reverse()
    comparison.rows(requestOf(path, query), found, rows, { key: ['id'] })
  }
  await check('/v3/trades', {}, ofOwners(fills))
  await compareTradesOfWallets(comparison, check, fills)
  await compareTradesOfMarkets(comparison, check, fills)
  const named = fills.filter(({ builder }) => builder !== NO_BUILDER)
  for (const builder of byCount(named.map((fill) => fill.builder)).slice(0, BUILDERS_MAX)) {
    const own = ofOwners(named.filter((fill) => fill.builder === builder))
    await check('/v3/trades', { builder }, own)
    await check(`/v3/builders/${builder}/trades`, {}, own)
  }
}

async function compareTradesOfWallets(
  { sampled }: Comparison,
  check: Check,
  fills: readonly ModelFill[],
): Promise<void> {
  for (const wallet of sampled.wallets) {
    const path = `/v3/wallets/${wallet}/trades`
    const own = fills.filter(({ maker }) => maker === wallet)
    const charged = own.filter(({ fee }) => fee > 0n)
    await check(path, {}, inBothRoles(fills, wallet))
    await check(path, { side: 'maker', order: 'asc' }, ofOwners(own))
    await check(`/v3/wallets/${wallet}/fees-paid`, {}, ofOwners(charged), 'fees')
  }
}

/** Slugs are known once the catalogue has the market. */
async function compareTradesOfMarkets(
  comparison: Comparison,
  check: Check,
  fills: readonly ModelFill[],
): Promise<void> {
  const { model, sampled } = comparison
  for (const token of sampled.tokens) {
    const own = fills.filter((fill) => fill.token === token)
    await check(`/v3/markets/${token}/trades`, {}, ofOwners(own))
  }
  const marketOf = ({ token }: ModelFill) => {
    const of = model.tokens.get(token)?.of
    return of?.kind === 'market' ? of : undefined
  }
  for (const market of sampled.markets) {
    const own = fills.filter((fill) => marketOf(fill) === market)
    const took = ofOwners(own.filter(isTakerOrder))
    const bySlug = `/v3/markets/slug/${market.slug}/trades`
    await comparison.eventually(() => check(bySlug, {}, ofOwners(own)))
    await check('/v3/trades', { condition_id: market.conditionId, fills: 'taker', order: 'asc' }, took)
  }
  for (const event of new Set(sampled.markets.slice(0, EVENTS_MAX).map((market) => market.event))) {
    const own = fills.filter((fill) => marketOf(fill)?.event === event)
    await comparison.eventually(() => check('/v3/trades', { event_slug: event.slug }, ofOwners(own)))
  }
}

const ofOwners = (fills: readonly ModelFill[]): RoledFill[] => fills.map((fill) => ({ fill, role: 'maker' }))

/** A wallet has its fills as owner of the order, and those of others that its orders met. */
function inBothRoles(fills: readonly ModelFill[], wallet: string): RoledFill[] {
  return fills.flatMap((fill): RoledFill[] => {
    if (fill.maker === wallet) return [{ fill, role: 'maker' }]
    return fill.taker === wallet ? [{ fill, role: 'taker' }] : []
  })
}

/** Whether the order that took in a transaction sells. */
function ownSidesOf({ fills }: Model): ReadonlyMap<string, boolean> {
  return new Map(fills.filter(isTakerOrder).map(({ txHash, isSell }) => [txHash, isSell]))
}

function tradeRow(model: Model, ownSides: ReadonlyMap<string, boolean>, { fill, role }: RoledFill): Row {
  const { token, isSell, usd, shares, txHash } = fill
  const money = { asset: '0', amount: decimal(usd) }
  const tokens = { asset: token, amount: decimal(shares) }
  const [given, received] = isSell ? [tokens, money] : [money, tokens]
  const sells = role === 'maker' ? isSell : (ownSides.get(txHash) ?? !isSell)
  return {
    id: idOf(fill),
    maker: fill.maker,
    taker: fill.taker,
    maker_asset_id: given.asset,
    taker_asset_id: received.asset,
    maker_amount: given.amount,
    taker_amount: received.amount,
    amount_usd: money.amount,
    token_id: token,
    asset: token,
    size: tokens.amount,
    fee: decimal(fill.fee),
    price: priceOf(usd, shares),
    timestamp: `${fill.timeSec}`,
    transaction_hash: txHash,
    order_hash: fill.orderHash,
    builder: fill.builder,
    side: fill.isV1 ? null : isSell ? 1 : 0,
    role,
    direction: sells ? 'SELL' : 'BUY',
    is_taker_order: isTakerOrder(fill),
    ...marketFields(model, token),
  }
}
