import type { ModelPosition } from '../model/position.js'
import type { Model } from '../model/read-model.js'
import { type Comparison, type Query, type Row, requestOf } from './comparison.js'
import { decimal } from './numbers.js'
import { conditionOf, isCombo, marketFields, resultOf } from './token-fields.js'

const MILLION = 1_000_000n

/** All lists of positions in markets: of a wallet, of all, of a token and of a market. */
export async function comparePositions(comparison: Comparison): Promise<void> {
  const { model, sampled } = comparison
  const listed = listedPositions(model)
  await compareAll(comparison, listed)
  for (const wallet of sampled.wallets) {
    const own = listed.filter((position) => position.wallet === wallet)
    await compareOfWallet(comparison, wallet, own)
  }
  for (const token of sampled.tokens) {
    const own = listed.filter((position) => position.token === token)
    await compareHolders(comparison, `/v3/markets/${token}/positions`, own, ['user'])
  }
  for (const { conditionId, slug } of sampled.markets) {
    const own = listed.filter(({ token }) => conditionOf(model, token) === conditionId)
    const check = (path: string) =>
      compareHolders(comparison, `/v3/markets/${path}/positions`, own, ['user', 'token_id'])
    await check(`condition/${conditionId}`)
    // A slug is known once the catalogue has the market.
    await comparison.eventually(() => check(`slug/${slug}`))
  }
}

/** Those that lists show: bought once, or held now; combos are listed apart. */
export const listedPositions = (model: Model): ModelPosition[] =>
  model.positions.filter(
    ({ token, bought, balance }) => (bought > 0n || balance > 0n) && !isCombo(model, token),
  )

async function compareAll(comparison: Comparison, listed: readonly ModelPosition[]): Promise<void> {
  const { model } = comparison
  const path = '/v3/positions'
  const found = await comparison.walk(path, 'positions')
  if (found === undefined) return
  const times = new Map(listed.map(({ wallet, token, lastSec }) => [`${wallet} ${token}`, lastSec]))
  comparison.rows(
    path,
    found,
    listed.map((position) => ({ wallet: position.wallet, ...numbersOf(model, position) })),
    { key: ['wallet', 'token_id'], isOrdered: false },
  )
  const lastSecs = found.map(({ wallet, token_id }) => BigInt(times.get(`${wallet} ${token_id}`) ?? 0))
  comparison.descending(path, lastSecs)
}

async function compareOfWallet(
  comparison: Comparison,
  wallet: string,
  own: readonly ModelPosition[],
): Promise<void> {
  const { model } = comparison
  const path = `/v3/wallets/${wallet}/positions`
  const byToken = new Map(own.map((position) => [position.token, position]))
  const walk = async (query: Query, keyOf: (position: ModelPosition) => bigint) => {
    const found = await comparison.walk(path, 'positions', query)
    if (found === undefined) return
    const where = requestOf(path, query)
    const expected = own.map((position) => ({ ...numbersOf(model, position), ...stateOf(model, position) }))
    comparison.rows(where, found, expected, { key: ['token_id'], isOrdered: false })
    const shown = found.flatMap(({ token_id }) => byToken.get(String(token_id)) ?? [])
    comparison.descending(where, shown.map(keyOf))
    for (const row of found) compareWorth(comparison, where, row, byToken.get(String(row.token_id)))
  }
  await walk({}, ({ realized }) => realized)
  await walk({ sort: 'recent' }, ({ lastSec }) => BigInt(lastSec))
}

async function compareHolders(
  comparison: Comparison,
  path: string,
  own: readonly ModelPosition[],
  key: readonly string[],
): Promise<void> {
  const found = await comparison.walk(path, 'data')
  if (found === undefined) return
  const expected = own.map((position) => {
    const average = averageOf(position)
    return {
      user: position.wallet,
      ...(key.includes('token_id') && { token_id: position.token }),
      amount: `${position.balance}`,
      avg_price: average === undefined ? null : `${average}`,
      realized_pnl: `${position.realized}`,
      total_bought: `${position.bought}`,
    }
  })
  comparison.rows(path, found, expected, { key, isOrdered: false })
  comparison.descending(
    path,
    found.map(({ realized_pnl }) => BigInt(String(realized_pnl))),
  )
}

function numbersOf(model: Model, position: ModelPosition): Row {
  const { token, balance, realized, bought } = position
  const average = averageOf(position)
  const result = resultOf(model, token)
  const isHeld = balance > 0n
  return {
    token_id: token,
    size: decimal(balance),
    avg_price: average === undefined ? null : decimal(average),
    realized_pnl: decimal(realized),
    total_bought: decimal(bought),
    resolved: result !== undefined,
    status: result === undefined ? (isHeld ? 'open' : 'closed') : isHeld ? 'redeemable' : 'redeemed',
    ...marketFields(model, token),
  }
}

/** What the list of one wallet has beyond that. */
function stateOf(model: Model, position: ModelPosition): Row {
  const { token, balance, held, cost, bought, boughtCost, filledSec, lastSec } = position
  const result = resultOf(model, token)
  const payout = result && payoutOf(model, token)
  const won = payout === undefined ? null : payout[0] === 0n ? false : payout[0] === payout[1] ? true : null
  const paid = result?.payouts.flatMap((part, outcome) => (part > 0n ? [outcome] : [])) ?? []
  const initial = held > 0n ? (balance * cost) / held : bought > 0n ? (balance * boughtCost) / bought : 0n
  return {
    initial_value: decimal(initial),
    redeemable_payout: decimal(payout === undefined ? 0n : (balance * payout[0]) / payout[1]),
    opposite_asset: oppositeOf(model, token),
    market_status: marketStatusOf(balance, result !== undefined, won),
    last_trade_at: filledSec === 0 ? null : `${filledSec}`,
    last_activity_at: `${lastSec}`,
    resolved_at: result === undefined ? null : `${result.timeSec}`,
    winning_outcome_index: paid.length === 1 ? paid[0] : null,
    won,
  }
}

function marketStatusOf(balance: bigint, isResolved: boolean, won: boolean | null): string {
  if (balance === 0n) return 'closed'
  if (!isResolved) return 'live'
  return won === null ? 'resolved-unknown' : won ? 'resolved-win' : 'resolved-loss'
}

/**
 * What the shares would earn follows from their cost and the price. The row states the price: the result decides it, or
 * the chain's last fill, or the order book, whose prices have six decimals.
 */
function compareWorth(
  comparison: Comparison,
  where: string,
  row: Row,
  position: ModelPosition | undefined,
): void {
  if (position === undefined) return
  const { model } = comparison
  const { token, balance, held, cost, realized } = position
  const price = priceFor(model, token, row)
  if (price === undefined) return
  const [numerator, denominator] = price
  const unrealized = balance > 0n ? (held * numerator - cost * denominator) / denominator : 0n
  comparison.same(`${where}, row ${token}`, row, {
    unrealized_pnl: decimal(unrealized),
    total_pnl: decimal(realized + unrealized),
    current_price: decimal((MILLION * numerator) / denominator),
  })
}

type Fraction = readonly [numerator: bigint, denominator: bigint]

function priceFor(model: Model, token: string, row: Row): Fraction | undefined {
  if (resultOf(model, token) !== undefined) return payoutOf(model, token)
  if (row.price_source === 'last_fill') return model.lastPrices.get(token)
  if (row.price_source !== 'clob_mid') return undefined
  return [BigInt(Math.round(Number(row.current_price) * 1e6)), MILLION]
}

/** What a share of a token with a result is paid. */
export function payoutOf(model: Model, token: string): Fraction {
  const payouts = resultOf(model, token)?.payouts ?? []
  const outcome = model.tokens.get(token)?.outcome ?? 0
  return [payouts[outcome] ?? 0n, payouts.reduce((sum, part) => sum + part, 0n)]
}

/** What the shares that bear cost have cost, or all that were ever bought when none is left; in millionths. */
export function averageOf({ held, cost, bought, boughtCost }: ModelPosition): bigint | undefined {
  if (held > 0n) return (cost * MILLION) / held
  return bought > 0n ? (boughtCost * MILLION) / bought : undefined
}

export function oppositeOf(model: Model, token: string): string | undefined {
  const known = model.tokens.get(token)
  return known?.of.tokens.find(({ outcome }) => outcome !== known.outcome)?.decimal
}
