import { type TObject, Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { toDecimal } from '../../core/money.js'
import { blockOf, logIndexOf } from '../../core/seq.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { Address, Order, oneOf, TimeBounds } from '../../http/parameters.js'
import { Decimal, IntegerText, SecondsText, UnixTime } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { selectWalletId, selectWalletIds } from '../../lookups/ids.js'
import { selectSeqRange, sinceNamed } from '../../lookups/seq-range.js'
import type { Sql } from '../../store/connection.js'
import { resolveWalletActs, WALLET_ACTS } from '../wallet-acts.js'
import {
  type ActivityKind,
  type ActivityRow,
  type FlowKind,
  type FlowRow,
  type FlowTotals,
  selectActivity,
  selectFlows,
  selectFlowTotals,
} from './queries.js'

const Id = Type.String({ description: '`<transaction hash>_0x<log index>`' })
const BlockSeconds = SecondsText('Unix seconds of the block')

export const Activity = namedObject('WalletActivity', {
  event_type: Type.String({ enum: ['split', 'merge', 'nrc', 'redemption'] }),
  id: Id,
  timestamp: BlockSeconds,
  ref_id: Type.String({ description: 'the condition; of `nrc` the neg-risk market' }),
  amount: IntegerText('millionths; of a redemption what it paid'),
  extra: nullable(
    Type.String(),
    'of a redemption the index sets, such as `{1,2}`; of `nrc` the number of questions of its market',
  ),
})

const Split = namedObject('WalletSplit', {
  id: Id,
  timestamp: BlockSeconds,
  condition: Type.String(),
  amount: IntegerText('millionths of each outcome token, and of dollars'),
})

const Conversion = namedObject('WalletConversion', {
  id: Id,
  timestamp: BlockSeconds,
  neg_risk_market_id: Type.String(),
  amount: IntegerText('millionths of each NO token that was given'),
  index_set: Type.String({
    description: 'a decimal number; bit `i` says that NO of question `i` was given',
  }),
  question_count: Type.Integer({ minimum: 0, description: 'questions of the market' }),
})

const Flow = namedObject('WalletFlow', {
  event_type: Type.String({ enum: ['deposit', 'withdrawal'] }),
  direction: Type.String({ enum: ['in', 'out'] }),
  amount: Decimal('dollars'),
  amount_usdc: Decimal('the same'),
  amount_raw: IntegerText('millionths'),
  asset: Type.String({ description: 'what was wrapped or unwrapped' }),
  asset_symbol: Type.String({ enum: ['USDC.e', 'USDC', 'unknown'] }),
  ramp: Type.String({ enum: ['CollateralOnramp', 'CollateralOfframp', 'PermissionedRamp'] }),
  source_event: Type.String({ enum: ['Wrapped', 'Transfer+Unwrapped'] }),
  recipient: Type.String(),
  transaction_hash: Type.String(),
  block_number: Type.Integer({ minimum: 0 }),
  block_timestamp: UnixTime(),
})

const FlowSums = {
  total_matching_rows: Type.Integer({ minimum: 0 }),
  total_deposited: Type.Number({ description: 'dollars, over all matching rows' }),
  total_withdrawn: Type.Number({ description: 'dollars, over all matching rows' }),
  net_deposited: Type.Number(),
  source: Type.Literal('polyusd_flows'),
}

const presentLog = ({ txHash, seq, timeSec }: Pick<ActivityRow, 'txHash' | 'seq' | 'timeSec'>) => ({
  id: `${txHash}_0x${logIndexOf(seq).toString(16)}`,
  timestamp: `${timeSec}`,
})

const presentActivity = (row: ActivityRow) => ({
  event_type: row.eventType,
  ...presentLog(row),
  ref_id: row.reference,
  amount: `${row.amount}`,
  extra: presentExtra(row),
})

function presentExtra({ outcomes, questionCount }: ActivityRow): string | null {
  if (outcomes === null) return questionCount === null ? null : `${questionCount}`
  return `{${[1, 2].filter((indexSet) => outcomes & indexSet)}}`
}

const presentSplit = (row: ActivityRow) => ({
  ...presentLog(row),
  condition: row.reference,
  amount: `${row.amount}`,
})

const presentConversion = (row: ActivityRow) => ({
  ...presentLog(row),
  neg_risk_market_id: row.reference,
  amount: `${row.amount}`,
  index_set: `${BigInt(row.indexSet ?? 0)}`,
  question_count: row.questionCount,
})

const RAMP_NAMES: Readonly<Record<string, string>> = {
  '0x93070a847efef7f70739046a929d47a521f5b8ee': 'CollateralOnramp',
  '0x2957922eb93258b93368531d39facca3b4dc5854': 'CollateralOfframp',
  '0xebc2459ec962869ca4c0bd1e06368272732bcb08': 'PermissionedRamp',
}

const SYMBOLS: Readonly<Record<string, string>> = {
  '0x2791bca1f2de4661ed88a30c99a7a9449aa84174': 'USDC.e',
  '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359': 'USDC',
}

function presentFlow(row: FlowRow) {
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

const presentFlowTotals = ({ count, deposited, withdrawn }: FlowTotals) => ({
  total_matching_rows: count,
  total_deposited: toDecimal(deposited),
  total_withdrawn: toDecimal(withdrawn),
  net_deposited: toDecimal(deposited - withdrawn),
  source: 'polyusd_flows' as const,
})

const resolveKinds =
  (...kinds: ActivityKind[]) =>
  async (
    sql: Sql,
    input: Parameters<typeof resolveWalletActs>[1],
    { until }: { until: number | undefined },
  ) => {
    const acts = await resolveWalletActs(sql, input, until)
    return acts && { ...acts, kinds }
  }

const viewOf = (row: TObject, present: (row: ActivityRow) => object) =>
  createView({ row, select: selectActivity, keyOf: ({ seq }) => [seq], present })

export const walletActivity = defineList({
  ...WALLET_ACTS,
  path: '/v3/wallets/:address/activity',
  operationId: 'listWalletActivity',
  summary: 'What a wallet did beside trading',
  description:
    'Splits, merges, redemptions and conversions (`nrc`) of outcome tokens that the wallet wanted, newest first. Money in and out, trades and combos have lists of their own.',
  view: viewOf(Activity, presentActivity),
  resolve: resolveKinds('split', 'merge', 'redemption', 'nrc'),
})

export const walletSplits = defineList({
  ...WALLET_ACTS,
  path: '/v3/wallets/:address/splits',
  operationId: 'listWalletSplits',
  summary: 'Splits of a wallet',
  description: 'Money that the wallet made into full sets of outcome tokens, newest first, without combos.',
  view: viewOf(Split, presentSplit),
  resolve: resolveKinds('split'),
})

export const walletMerges = defineList({
  ...WALLET_ACTS,
  path: '/v3/wallets/:address/merges',
  operationId: 'listWalletMerges',
  summary: 'Merges of a wallet',
  description: 'Full sets of outcome tokens that the wallet made into money, newest first, without combos.',
  view: viewOf(Split, presentSplit),
  resolve: resolveKinds('merge'),
})

export const walletConversions = defineList({
  ...WALLET_ACTS,
  path: '/v3/wallets/:address/nrc',
  operationId: 'listWalletConversions',
  summary: 'Neg-risk conversions of a wallet',
  description:
    'NO tokens of neg-risk markets that the wallet made into money and YES tokens of the other questions, newest first.',
  view: viewOf(Conversion, presentConversion),
  resolve: resolveKinds('nrc'),
})

const KINDS: Record<'all' | FlowKind, readonly FlowKind[]> = {
  all: ['deposit', 'withdrawal'],
  deposit: ['deposit'],
  withdrawal: ['withdrawal'],
}

export const walletFlows = defineList({
  path: '/v3/wallets/:address/polyusd-flows',
  operationId: 'listWalletFlows',
  summary: 'Money that a wallet brought and took out',
  description:
    'What was wrapped into pUSD for the wallet through a ramp of the platform (`deposit`), and what the wallet unwrapped (`withdrawal`), newest first. The sums are over all matching rows, not only those of the page.',
  tag: 'wallets',
  access: V3,
  narrowBy: ['after', 'before', 'kind'],
  params: Type.Object({ address: Address }),
  query: Type.Object({
    ...TimeBounds,
    order: Order,
    kind: oneOf(['all', 'deposit', 'withdrawal'], 'which flows', { default: 'all' }),
  }),
  page: { name: 'flows', limitMax: 300 },
  view: createView({
    row: Flow,
    select: selectFlows,
    keyOf: ({ seq }) => [seq],
    present: presentFlow,
  }),
  resolve: async (sql, { address, order, kind, ...times }, { until }) => {
    const range = await selectSeqRange(sql, times, until)
    const wallet = await selectWalletId(sql, address)
    if (range === undefined || wallet === undefined) return undefined
    const ramps = await selectWalletIds(sql, Object.keys(RAMP_NAMES))
    const since = await sinceNamed(sql, range, { wallet })
    return { ...since, wallet, ramps, kinds: KINDS[kind], isAscending: order === 'asc' }
  },
  extra: {
    fields: FlowSums,
    select: async (sql, { scope }) =>
      presentFlowTotals(
        scope === undefined ? { count: 0, deposited: 0n, withdrawn: 0n } : await selectFlowTotals(sql, scope),
      ),
  },
})

export const activityRoutes = endpointRoutes([
  walletActivity,
  walletSplits,
  walletMerges,
  walletConversions,
  walletFlows,
])
