import { toDecimalText } from '../core/money.js'
import { toTimestampText } from '../core/unix-time.js'
import type { BuilderDayRow, BuilderFigures, NamedBuilderDayRow } from './queries.js'

export const VOLUME_MEANING = {
  volume_scope: 'clob_v2_onchain',
  volume_semantics: 'outcome_share_par_notional',
} as const

export const FEE_SEMANTICS =
  'Fees that traders paid on fills whose orders name the builder; not what the builder is paid.'

export function presentBuilder(row: BuilderFigures) {
  const isPending = row.fills === null
  const { buyShares, sellShares } = row
  const shares = buyShares === null || sellShares === null ? null : buyShares + sellShares
  const given = (row.buyUsd ?? 0n) + (sellShares ?? 0n)
  const received = (buyShares ?? 0n) + (row.sellUsd ?? 0n)
  const fees = row.fees ?? 0n
  return {
    builder: row.code,
    builder_code: row.code,
    builder_name: row.name,
    builder_logo: row.logo,
    builder_verified: row.verified,
    fill_count: row.fills ?? 0,
    first_fill: row.firstSec === null ? null : `${row.firstSec}`,
    last_fill: row.lastSec === null ? null : `${row.lastSec}`,
    ...presentVolume('volume', shares),
    ...presentVolume('buy_volume', buyShares),
    ...presentVolume('sell_volume', sellShares),
    ...VOLUME_MEANING,
    total_maker_volume: `${given}`,
    total_maker_volume_usdc: toDecimalText(given),
    total_taker_volume: `${received}`,
    total_taker_volume_usdc: toDecimalText(received),
    total_fees: `${fees}`,
    total_fees_usdc: toDecimalText(fees),
    external_rank: row.externalRank,
    external_volume: row.externalVolume,
    external_active_users: row.externalActiveUsers,
    source: isPending ? 'polymarket_builder_metadata' : 'local_order_filled_event_index',
    stats_pending: isPending,
    stats_refreshed_at: row.lastSec === null ? null : toTimestampText(row.lastSec),
    stats_checked_at: row.headSec === null ? null : toTimestampText(row.headSec),
  }
}

function presentVolume<Name extends string>(name: Name, shares: bigint | null) {
  const decimal = shares === null ? null : toDecimalText(shares)
  const raw = shares === null ? null : `${shares}`
  return { [`${name}_e6`]: raw, [name]: decimal, [`${name}_usdc`]: decimal } as Record<
    Name | `${Name}_e6` | `${Name}_usdc`,
    string | null
  >
}

const DAY_SEC = 86_400

export function presentDay(row: BuilderDayRow) {
  const timestamp = row.day * DAY_SEC
  return {
    date: dateOf(timestamp),
    timestamp,
    fill_count: row.fills,
    volume: toDecimalText(row.buyShares + row.sellShares),
    buy_volume: toDecimalText(row.buyShares),
    sell_volume: toDecimalText(row.sellShares),
    fees_usdc: toDecimalText(row.fees),
    active_wallets: row.wallets,
    new_wallets: row.newWallets,
  }
}

export function presentDayOfBuilder(row: NamedBuilderDayRow) {
  const { date, timestamp, ...figures } = presentDay(row)
  return { date, timestamp, builder_code: row.code, builder_name: row.name, ...figures }
}

/** `2026-01-31`, UTC. */
export const dateOf = (timeSec: number): string => new Date(timeSec * 1000).toISOString().slice(0, 10)
