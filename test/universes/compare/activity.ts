import { ADDRESS } from '../../../sim/contracts/addresses.js'
import type { ModelActivity, ModelFlow } from '../model/activity.js'
import type { Comparison, Row } from './comparison.js'
import { decimal, sumOf } from './numbers.js'

const NAMES = { split: 'split', merge: 'merge', redemption: 'redemption', conversion: 'nrc' }

/** What wallets did beside trading, and the money that they brought and took out. */
export async function compareActivity(comparison: Comparison): Promise<void> {
  const { model, sampled } = comparison
  for (const wallet of sampled.wallets) {
    const path = `/v3/wallets/${wallet}/activity`
    const found = await comparison.walk(path, 'data')
    const own = model.activity.filter((each) => each.wallet === wallet && !each.isCombo)
    if (found !== undefined) {
      comparison.rows(path, found, own.map(activityRow).reverse(), { key: ['id'] })
    }
    await compareKinds(comparison, wallet)
    await compareFlows(
      comparison,
      wallet,
      model.flows.filter((flow) => flow.wallet === wallet),
    )
  }
}

/** The same by kind; redemptions have those of combos, too. */
async function compareKinds(comparison: Comparison, wallet: string): Promise<void> {
  const all = comparison.model.activity.filter((each) => each.wallet === wallet)
  const check = async (
    list: string,
    own: readonly ModelActivity[],
    show: (activity: ModelActivity) => Row,
  ) => {
    const path = `/v3/wallets/${wallet}/${list}`
    const found = await comparison.walk(path, 'data')
    if (found === undefined) return
    const expected = own.map((each) => ({ id: idOf(each), timestamp: `${each.timeSec}`, ...show(each) }))
    comparison.rows(path, found, expected.reverse(), { key: ['id'] })
  }
  const plain = all.filter(({ isCombo }) => !isCombo)
  const ofKind = (kind: ModelActivity['kind']) => plain.filter((each) => each.kind === kind)
  const showSet = ({ reference, amount }: ModelActivity) => ({ condition: reference, amount: `${amount}` })
  await check('splits', ofKind('split'), showSet)
  await check('merges', ofKind('merge'), showSet)
  await check('nrc', ofKind('conversion'), ({ reference, amount }) => ({
    neg_risk_market_id: reference,
    amount: `${amount}`,
  }))
  const redemptions = all.filter(({ kind }) => kind === 'redemption')
  await check('redemptions', redemptions, ({ reference, amount }) => ({
    condition_id: reference,
    payout_e6: `${amount}`,
  }))
}

const idOf = ({ txHash, logIndex }: ModelActivity): string => `${txHash}_0x${logIndex.toString(16)}`

const activityRow = (activity: ModelActivity): Row => ({
  event_type: NAMES[activity.kind],
  id: idOf(activity),
  timestamp: `${activity.timeSec}`,
  ref_id: activity.reference,
  amount: `${activity.amount}`,
  extra: activity.extra,
})

async function compareFlows(comparison: Comparison, wallet: string, own: readonly ModelFlow[]) {
  const path = `/v3/wallets/${wallet}/polyusd-flows`
  const list = await comparison.list(path, 'flows')
  if (list === undefined) return
  comparison.rows(path, list.rows, own.map(flowRow).reverse(), { key: ['transaction_hash'] })
  const sum = (isDeposit: boolean) =>
    sumOf(own.filter((flow) => flow.isDeposit === isDeposit).map(({ amount }) => amount))
  comparison.same(path, list.first, {
    total_matching_rows: own.length,
    total_deposited: decimal(sum(true)),
    total_withdrawn: decimal(sum(false)),
    net_deposited: decimal(sum(true) - sum(false)),
  })
}

const flowRow = ({ isDeposit, amount, recipient, txHash, block, timeSec }: ModelFlow): Row => ({
  event_type: isDeposit ? 'deposit' : 'withdrawal',
  direction: isDeposit ? 'in' : 'out',
  amount: decimal(amount),
  amount_usdc: decimal(amount),
  amount_raw: `${amount}`,
  asset: ADDRESS.usdce,
  asset_symbol: 'USDC.e',
  ramp: isDeposit ? 'CollateralOnramp' : 'CollateralOfframp',
  source_event: isDeposit ? 'Wrapped' : 'Transfer+Unwrapped',
  recipient,
  transaction_hash: txHash,
  block_number: block,
  block_timestamp: timeSec,
})
