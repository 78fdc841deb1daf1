import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { Address, Order, oneOf, TimeBounds } from '../../http/parameters.js'
import { selectWalletId, selectWalletIds } from '../../lookups/ids.js'
import { selectSeqRange } from '../../lookups/seq-range.js'
import { CONTRACTS } from '../../upstreams/polygon/contracts.js'
import { presentActivity, presentFlow, presentFlowTotals, RAMP_NAMES } from './present.js'
import { type FlowKind, selectActivity, selectFlows, selectFlowTotals } from './queries.js'
import { Activity, Flow, FlowSums } from './schemas.js'

const PROTOCOL: ReadonlySet<string> = new Set(CONTRACTS.map(({ address }) => address))

export const walletActivity = defineList({
  path: '/v3/wallets/:address/activity',
  operationId: 'listWalletActivity',
  summary: 'What a wallet did beside trading',
  description:
    'Splits, merges, redemptions and conversions (`nrc`) of outcome tokens that the wallet wanted, newest first. Money in and out, trades and combos have lists of their own.',
  tag: 'wallets',
  access: V3,
  narrowBy: ['after', 'before'],
  params: Type.Object({ address: Address }),
  query: Type.Object({ ...TimeBounds, order: Order }),
  page: { name: 'data', limitMax: 300, repeatsPath: false },
  view: createView({
    row: Activity,
    select: selectActivity,
    keyOf: ({ seq }) => [seq],
    present: presentActivity,
  }),
  resolve: async (sql, { address, order, ...times }, { until }) => {
    const range = await selectSeqRange(sql, times, until)
    // Contracts of the platform only act for wallets, in more rows than a request may read.
    const wallet = PROTOCOL.has(address) ? undefined : await selectWalletId(sql, address)
    if (range === undefined || wallet === undefined) return undefined
    return { ...range, wallet, isAscending: order === 'asc' }
  },
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
    return { ...range, wallet, ramps, kinds: KINDS[kind], isAscending: order === 'asc' }
  },
  extra: {
    fields: FlowSums,
    select: async (sql, { scope }) =>
      presentFlowTotals(
        scope === undefined ? { count: 0, deposited: 0n, withdrawn: 0n } : await selectFlowTotals(sql, scope),
      ),
  },
})

export const activityRoutes = endpointRoutes([walletActivity, walletFlows])
