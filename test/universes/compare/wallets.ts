import type { ModelStep } from '../model/ledger.js'
import type { ModelPosition } from '../model/position.js'
import type { Model } from '../model/read-model.js'
import { type Comparison, type Row, requestOf } from './comparison.js'
import { decimal, sumOf } from './numbers.js'
import { listedPositions, payoutOf } from './positions.js'
import { isCombo, resultOf } from './token-fields.js'

const HOUR_SEC = 3_600
const DAY_SEC = 86_400

/** What the positions of a wallet add up to, and what it realized in some time. */
export async function compareWallets(comparison: Comparison): Promise<void> {
  const { model, sampled } = comparison
  const listed = listedPositions(model)
  const steps = marketSteps(model)
  const ofWallets = new Map<string, Row>()
  for (const wallet of sampled.wallets) {
    const own = listed.filter((position) => position.wallet === wallet)
    const expected = summaryOf(model, own)
    ofWallets.set(wallet, expected)
    await compareSummary(comparison, wallet, expected)
    const realized = steps.filter((step) => step.wallet === wallet)
    await compareRealized(comparison, wallet, realized)
    await compareBuckets(comparison, wallet, realized)
  }
  const answer = await comparison.post('/v3/wallets/batch', { wallets: sampled.wallets })
  if (answer === undefined) return
  const rows = [...ofWallets].map(([wallet, summary]) => ({ wallet, ...summary }))
  comparison.rows('/v3/wallets/batch', answer.wallets as Row[], rows, { key: ['wallet'] })
}

/** Steps of markets: those of combos count apart. */
export const marketSteps = (model: Model): ModelStep[] =>
  model.steps.filter(({ token }) => !isCombo(model, token))

/** The totals of these positions. What depends on prices is there when the results decide them all. */
export function summaryOf(model: Model, own: readonly ModelPosition[]): Row {
  const realized = sumOf(own.map((position) => position.realized))
  return {
    net_realized_pnl: decimal(realized),
    position_count: own.length,
    open_positions: own.filter(({ balance }) => balance > 0n).length,
    total_volume: decimal(sumOf(own.map(({ bought }) => bought))),
    ...worthOf(model, own, realized),
  }
}

function worthOf(model: Model, own: readonly ModelPosition[], realized: bigint): Row {
  const totals: bigint[] = []
  for (const position of own) {
    const unrealized = unrealizedOf(model, position)
    if (unrealized === undefined) return {}
    totals.push(position.realized + unrealized)
  }
  const gains = totals.filter((total) => total > 0n)
  const losses = totals.filter((total) => total < 0n)
  return {
    gross_profit: decimal(sumOf(gains)),
    gross_loss: decimal(sumOf(losses)),
    unrealized_pnl: decimal(sumOf(totals) - realized),
    total_pnl: decimal(sumOf(totals)),
    wins: gains.length,
    losses: losses.length,
  }
}

/** `undefined`: the shares have a price that the chain does not decide. */
function unrealizedOf(model: Model, { token, balance, held, cost }: ModelPosition): bigint | undefined {
  if (balance === 0n) return 0n
  if (resultOf(model, token) === undefined) return undefined
  const [numerator, denominator] = payoutOf(model, token)
  return (held * numerator - cost * denominator) / denominator
}

async function compareSummary(comparison: Comparison, wallet: string, summary: Row): Promise<void> {
  const path = `/v3/wallets/${wallet}`
  const query = { include_accounting_summary: 'true' }
  const answer = await comparison.get(path, query)
  if (answer === undefined) return
  comparison.same(requestOf(path, query), answer, { address: wallet, ...summary })
  const own = comparison.model.fills.filter(({ maker, isCombo }) => maker === wallet && !isCombo)
  const charged = own.filter(({ fee }) => fee > 0n)
  const fees = sumOf(own.map(({ fee }) => fee))
  const accounting = answer.accounting_summary as Row
  comparison.same(`${requestOf(path, query)}, fees_paid`, accounting.fees_paid as Row, {
    amount: decimal(fees),
    raw: `${fees}`,
    fee_fill_count: charged.length,
    order_owner_fill_count: own.length,
    first_fee_block: charged[0] === undefined ? null : `${charged[0].block}`,
    last_fee_block: charged[0] === undefined ? null : `${charged.at(-1)?.block}`,
  })
}

async function compareRealized(
  comparison: Comparison,
  wallet: string,
  steps: readonly ModelStep[],
): Promise<void> {
  const { head } = comparison.model
  const after = head.timeSec - DAY_SEC
  const path = `/v3/wallets/${wallet}/pnl`
  const query = { after, before: head.timeSec }
  const answer = await comparison.get(path, query)
  if (answer === undefined) return
  const recent = steps.filter(({ timeSec }) => timeSec >= after)
  comparison.same(requestOf(path, query), answer, realizedOf(recent))
}

/** Hours of the last day, and days since the first block. */
async function compareBuckets(
  comparison: Comparison,
  wallet: string,
  steps: readonly ModelStep[],
): Promise<void> {
  const { head } = comparison.model
  const path = `/v3/wallets/${wallet}/pnl/events`
  for (const [group, seconds, after] of [
    ['hour', HOUR_SEC, head.timeSec - DAY_SEC],
    ['day', DAY_SEC, 1],
  ] as const) {
    const query = { group, after, before: head.timeSec }
    const answer = await comparison.get(path, query)
    if (answer === undefined) continue
    const buckets = bucketsOf(
      steps.filter(({ timeSec }) => timeSec >= after),
      seconds,
    )
    const where = requestOf(path, query)
    comparison.rows(where, answer.buckets as Row[], buckets, { key: ['bucket'] })
    comparison.same(where, answer, { bucket_count: buckets.length })
  }
}

function bucketsOf(steps: readonly ModelStep[], seconds: number): Row[] {
  const starts = [...new Set(steps.map(({ timeSec }) => timeSec - (timeSec % seconds)))].sort((a, b) => a - b)
  let sum = 0n
  return starts.map((bucket) => {
    const own = steps.filter(({ timeSec }) => timeSec - (timeSec % seconds) === bucket)
    sum += sumOf(own.map(({ amount }) => amount))
    return { bucket, ...realizedOf(own), cumulative_pnl: decimal(sum) }
  })
}

/** What steps add up to. */
export function realizedOf(steps: readonly ModelStep[]): Row {
  const amounts = steps.map(({ amount }) => amount)
  const gains = amounts.filter((amount) => amount > 0n)
  const losses = amounts.filter((amount) => amount < 0n)
  return {
    realized_pnl: decimal(sumOf(amounts)),
    gross_profit: decimal(sumOf(gains)),
    gross_loss: decimal(sumOf(losses)),
    wins: gains.length,
    losses: losses.length,
    events: amounts.length,
  }
}
