import { toDecimal } from '../../core/money.js'
import { blockOf, logIndexOf } from '../../core/seq.js'
import type { ActivityRow, FlowRow, FlowTotals } from './queries.js'

export const presentActivity = (row: ActivityRow) => ({
  event_type: row.eventType,
  id: `${row.txHash}_0x${logIndexOf(row.seq).toString(16)}`,
  timestamp: `${row.timeSec}`,
  ref_id: row.reference,
  amount: `${row.amount}`,
  extra: presentExtra(row),
})

function presentExtra({ outcomes, questionCount }: ActivityRow): string | null {
  if (outcomes === null) return questionCount === null ? null : `${questionCount}`
  return `{${[1, 2].filter((indexSet) => outcomes & indexSet)}}`
}

export const RAMP_NAMES: Readonly<Record<string, string>> = {
  '0x93070a847efef7f70739046a929d47a521f5b8ee': 'CollateralOnramp',
  '0x2957922eb93258b93368531d39facca3b4dc5854': 'CollateralOfframp',
  '0xebc2459ec962869ca4c0bd1e06368272732bcb08': 'PermissionedRamp',
}

const SYMBOLS: Readonly<Record<string, string>> = {
  '0x2791bca1f2de4661ed88a30c99a7a9449aa84174': 'USDC.e',
  '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359': 'USDC',
}

export function presentFlow(row: FlowRow) {
  const isDeposit = row.kind === 'deposit'
  return {
    event_type: row.kind,
    direction: isDeposit ? 'in' : 'out',
    amount: toDecimal(row.amount),
    amount_usdc: toDecimal(row.amount),
    amount_raw: `${row.amount}`,
    asset: row.asset,
    asset_symbol: SYMBOLS[row.asset] ?? 'unknown',
    ramp: RAMP_NAMES[row.ramp],
    source_event: isDeposit ? 'Wrapped' : 'Transfer+Unwrapped',
    recipient: row.recipient,
    transaction_hash: row.txHash,
    block_number: blockOf(row.seq),
    block_timestamp: row.timeSec,
  }
}

export const presentFlowTotals = ({ count, deposited, withdrawn }: FlowTotals) => ({
  total_matching_rows: count,
  total_deposited: toDecimal(deposited),
  total_withdrawn: toDecimal(withdrawn),
  net_deposited: toDecimal(deposited - withdrawn),
  source: 'polyusd_flows' as const,
})
