import { idOf, isTakerOrder, type ModelFill } from '../../trades/fill-model.js'
import type { Model } from '../model/read-model.js'
import { byCount } from './by-count.js'
import { type Comparison, type Query, type Row, requestOf } from './comparison.js'
import { decimal, priceOf } from './numbers.js'
import { marketFields } from './token-fields.js'

export const NO_BUILDER = `0x${'0'.repeat(64)}`

type Role = 'maker' | 'taker'
type RoledFill = { fill: ModelFill; role: Role }

/** All lists of trades of markets. Each is a choice of the fills of the chain, the newest first. */
export async function compareTrades(comparison: Comparison): Promise<void> {
  const { model, sampled } = comparison
  const fills = model.fills.filter(({ isCombo }) => !isCombo)
  const ownSides = ownSidesOf(model)
  const check = async (path: string, query: Query, expected: readonly RoledFill[], name = 'trades') => {
    const found = await comparison.walk(path, name, query)
    if (found === undefined) return
    const rows = expected.map((each) => tradeRow(model, ownSides, each))
    if (query.order !== 'asc') rows.reverse()
    comparison.rows(requestOf(path, query), found, rows, { key: ['id'] })
  }
  const ofOwners = (isWanted: (fill: ModelFill) => boolean): RoledFill[] =>
    fills.filter(isWanted).map((fill) => ({ fill, role: 'maker' }))

  await check(
    '/v3/trades',
    {},
    ofOwners(() => true),
  )
  await check('/v3/trades', { fills: 'taker', order: 'asc' }, ofOwners(isTakerOrder))
  for (const wallet of sampled.wallets) {
    const path = `/v3/wallets/${wallet}/trades`
    await check(path, {}, inBothRoles(fills, wallet))
    await check(
      path,
      { side: 'maker', order: 'asc' },
      ofOwners(({ maker }) => maker === wallet),
    )
    const isCharged = ({ maker, fee }: ModelFill) => maker === wallet && fee > 0n
    await check(`/v3/wallets/${wallet}/fees-paid`, {}, ofOwners(isCharged), 'fees')
  }
  for (const token of sampled.tokens) {
    await check(
      `/v3/markets/${token}/trades`,
      {},
      ofOwners((fill) => fill.token === token),
    )
  }
  for (const { conditionId, slug, event } of sampled.markets) {
    const isOfMarket = ({ token }: ModelFill) => {
      const of = model.tokens.get(token)?.of
      return of?.kind === 'market' && of.conditionId === conditionId
    }
    const isOfEvent = ({ token }: ModelFill) => {
      const of = model.tokens.get(token)?.of
      return of?.kind === 'market' && of.event.slug === event.slug
    }
    await check(`/v3/markets/slug/${slug}/trades`, {}, ofOwners(isOfMarket))
    await check('/v3/trades', { condition_id: conditionId }, ofOwners(isOfMarket))
    await check('/v3/trades', { event_slug: event.slug }, ofOwners(isOfEvent))
  }
  const builders = byCount(fills.map(({ builder }) => builder)).filter((builder) => builder !== NO_BUILDER)
  for (const builder of builders.slice(0, 2)) {
    const isOfBuilder = (fill: ModelFill) => fill.builder === builder
    await check('/v3/trades', { builder }, ofOwners(isOfBuilder))
    await check(`/v3/builders/${builder}/trades`, {}, ofOwners(isOfBuilder))
  }
}

/** A wallet has its fills as owner of the order, and those of others that its orders met. */
function inBothRoles(fills: readonly ModelFill[], wallet: string): RoledFill[] {
  return fills.flatMap((fill): RoledFill[] => {
    if (fill.maker === wallet) return [{ fill, role: 'maker' }]
    return fill.taker === wallet ? [{ fill, role: 'taker' }] : []
  })
}

/** Whether the order that took in a transaction sells. */
export function ownSidesOf({ fills }: Model): ReadonlyMap<string, boolean> {
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
