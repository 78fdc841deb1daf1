import { toDecimal } from '../core/money.js'
import type { SummaryRow } from './queries.js'
import type { PnlBucket, RealizedSum, WalletSummary } from './wallet-summary.js'

export const presentSummary = (summary: WalletSummary) => ({
  net_realized_pnl: toDecimal(summary.realized),
  gross_profit: toDecimal(summary.profit),
  gross_loss: toDecimal(summary.loss),
  unrealized_pnl: toDecimal(summary.unrealized),
  total_pnl: totalOf(summary),
  wins: summary.wins,
  losses: summary.losses,
  position_count: summary.positions,
  open_positions: summary.openPositions,
  total_volume: toDecimal(summary.bought),
})

const totalOf = ({ realized, unrealized }: Pick<WalletSummary, 'realized' | 'unrealized'>) =>
  toDecimal(realized + unrealized)

/** What combos add; `undefined`: the request leaves them out. */
export const presentCombos = (combos: WalletSummary | undefined) => ({
  include_combos: true as const,
  included_position_types: combos === undefined ? ['market' as const] : BOTH_TYPES,
  combo_pnl: {
    position_type: 'combo' as const,
    included: combos !== undefined,
    realized_pnl: toDecimal(combos?.realized ?? 0n),
    unrealized_pnl: toDecimal(combos?.unrealized ?? 0n),
    total_pnl: combos === undefined ? 0 : totalOf(combos),
    position_count: combos?.positions ?? 0,
    open_positions: combos?.openPositions ?? 0,
  },
})

const BOTH_TYPES = ['market' as const, 'combo' as const]

const NOT_LOADED = {
  available: false as const,
  loaded: false as const,
  status: 'not_loaded' as const,
  amount: null,
  raw: null,
}

export const presentAccounting = (row: SummaryRow) => ({
  available: row.fills > 0 || row.positions > 0,
  loaded: true as const,
  has_order_filled_rows: row.fills > 0,
  source: 'wallet_totals',
  fees_paid: {
    available: row.fills > 0,
    loaded: true as const,
    amount: toDecimal(row.fees),
    raw: `${row.fees}`,
    fee_fill_count: row.feeFills,
    order_owner_fill_count: row.fills,
    first_fee_block: blockText(row.firstFeeBlock),
    last_fee_block: blockText(row.lastFeeBlock),
  },
  maker_rebates: NOT_LOADED,
  rewards: NOT_LOADED,
  order_filled_through_block: `${row.headBlock}`,
  projector_status: 'ready' as const,
})

const blockText = (block: number | null): string | null => (block === null ? null : `${block}`)

export const REALIZED_SOURCE = 'realized_pnl_series'

export const presentRealized = (sum: RealizedSum) => ({
  realized_pnl: toDecimal(sum.realized),
  gross_profit: toDecimal(sum.profit),
  gross_loss: toDecimal(sum.loss),
  wins: sum.wins,
  losses: sum.losses,
  events: sum.wins + sum.losses,
})

/** What the window realized, with what is unrealized now. */
export const presentUnrealized = (
  { realized }: RealizedSum,
  { unrealized, openPositions }: WalletSummary,
) => ({
  unrealized_pnl: toDecimal(unrealized),
  total_pnl: totalOf({ realized, unrealized }),
  open_positions_at_date: openPositions,
})

/** `buckets` with the oldest first. */
export function presentBuckets(buckets: readonly PnlBucket[]) {
  let sum = 0n
  const shown = buckets.map(({ startSec, ...realized }) => {
    sum += realized.realized
    return {
      bucket: startSec,
      ...presentRealized(realized),
      cumulative_pnl: toDecimal(sum),
    }
  })
  const wins = shown.reduce((count, bucket) => count + bucket.wins, 0)
  const losses = shown.reduce((count, bucket) => count + bucket.losses, 0)
  return {
    bucket_count: shown.length,
    buckets: shown,
    total_realized_pnl: toDecimal(sum),
    total_events: wins + losses,
    total_wins: wins,
    total_losses: losses,
    source: REALIZED_SOURCE,
  }
}

/** One bucket with all that the wallet ever had, in which events are positions. */
export function presentSummaryBucket(summary: WalletSummary, nowSec: number) {
  const { net_realized_pnl: realized, ...fields } = presentSummary(summary)
  const { position_count: positions, open_positions, unrealized_pnl, total_pnl } = fields
  return {
    bucket_count: 1,
    buckets: [
      {
        bucket: nowSec,
        realized_pnl: realized,
        cumulative_pnl: realized,
        ...fields,
        events: positions,
      },
    ],
    total_realized_pnl: realized,
    total_events: positions,
    total_wins: fields.wins,
    total_losses: fields.losses,
    total_positions: positions,
    open_positions,
    unrealized_pnl,
    total_pnl,
    count_type: 'positions' as const,
    summary_bucket: true as const,
    source: 'wallet_summary',
  }
}
