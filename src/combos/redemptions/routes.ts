import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { ID_PATTERNS, normalizeConditionId, parseTokenId } from '../../core/ids.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { Address, ConditionId, Order, oneOf, TimeBounds, TokenId, TxHash } from '../../http/parameters.js'
import { withLegs } from '../../lookups/combos/legs.js'
import { selectWalletId } from '../../lookups/ids.js'
import { selectSeqRange, type TimeRange } from '../../lookups/seq-range.js'
import type { Sql } from '../../store/connection.js'
import { describedBy } from '../schemas.js'
import { presentComboRedemption } from './present.js'
import {
  type ComboRedemptionRow,
  type ComboRedemptionScope,
  selectComboRedemptions,
  selectConditionIds,
  selectTokenId,
} from './queries.js'
import { REDEMPTION_KINDS, REDEMPTION_TYPES, type RedemptionScopeName } from './redemption-kind.js'
import { ComboRedemption } from './schemas.js'

const CONDITIONS_MAX = 20
const CONDITION = ID_PATTERNS.conditionId.slice(1, -1)

const Filters = {
  market_id: Type.Optional(
    Type.String({
      pattern: `^${CONDITION}(, ?${CONDITION}){0,${CONDITIONS_MAX - 1}}$`,
      description: `conditions of combos with commas between them, at most ${CONDITIONS_MAX}`,
    }),
  ),
  condition_id: Type.Optional(ConditionId),
  position_id: Type.Optional(TokenId),
  event_kind: oneOf(['all', ...REDEMPTION_KINDS.keys()], 'the name of the log', { default: 'all' }),
  redemption_scope: oneOf(['all', 'full', 'partial', 'transformation'], 'what is left of the combo', {
    default: 'all',
  }),
  redemption_type: oneOf(
    ['all', 'FULL_COMBO', 'PARTIAL_COMBO', 'COMBO_TRANSFORMATION'],
    'the same in other words',
    { default: 'all' },
  ),
  tx_hash: Type.Optional(TxHash),
  ...TimeBounds,
  order: Order,
}

type Input = TimeRange & {
  market_id?: string
  condition_id?: string
  position_id?: string
  event_kind: string
  redemption_scope: 'all' | RedemptionScopeName
  redemption_type: string
  tx_hash?: string
  order?: 'asc' | 'desc'
}

/** The scope of a request to either list. `undefined`: nothing can match. */
async function resolveRedemptions(
  sql: Sql,
  input: Input,
  address: string | undefined,
  until: number | undefined,
): Promise<ComboRedemptionScope | undefined> {
  const wanted = chooseKinds(input)
  const named = parseConditions(input)
  const token = input.position_id === undefined ? undefined : parseTokenId(input.position_id)
  const range = await selectSeqRange(sql, input, until)
  const wallet = address === undefined ? undefined : await selectWalletId(sql, address)
  const conditions = named === undefined ? undefined : await selectConditionIds(sql, named)
  const tokenId = token === undefined ? undefined : await selectTokenId(sql, token)
  const isUnknown = (requested: unknown, found: unknown) => requested !== undefined && found === undefined
  if (isUnknown(address, wallet) || isUnknown(input.position_id, tokenId)) return undefined
  if (range === undefined || wanted === undefined || conditions?.length === 0) return undefined
  return {
    ...range,
    ...wanted,
    wallet,
    conditions,
    token: tokenId,
    txHash: input.tx_hash,
    isAscending: input.order === 'asc',
  }
}

/** Which logs fit kind, scope and type together. `undefined`: none does. */
function chooseKinds(input: Input): Pick<ComboRedemptionScope, 'kinds' | 'leavesNothing'> | undefined {
  const scopes = (['full', 'partial', 'transformation'] as const).filter(
    (scope) =>
      (input.redemption_scope === 'all' || input.redemption_scope === scope) &&
      (input.redemption_type === 'all' || input.redemption_type === REDEMPTION_TYPES[scope]),
  )
  const requested = REDEMPTION_KINDS.get(input.event_kind)
  const kinds = [...REDEMPTION_KINDS.values()].filter(
    (kind) => (requested === undefined || kind === requested) && scopes.some((scope) => canBe(kind, scope)),
  )
  if (kinds.length === 0) return undefined
  const hasBoth = scopes.includes('full') && scopes.includes('partial')
  return { kinds, leavesNothing: hasBoth ? undefined : scopes.includes('full') }
}

function canBe(kind: string, scope: RedemptionScopeName): boolean {
  if (kind === 'positionRedeemed') return scope === 'full'
  return kind === 'compressed' ? scope !== 'transformation' : scope === 'transformation'
}

/** The conditions that both parameters name. `undefined`: the request has neither. */
function parseConditions({ market_id: list, condition_id: one }: Input): string[] | undefined {
  const listed = list?.split(',').map((text) => normalizeConditionId(text.trim()))
  if (one === undefined) return listed
  return listed === undefined || listed.includes(one) ? [one] : []
}

const redemptionView = createView({
  row: ComboRedemption,
  select: selectComboRedemptions,
  keyOf: ({ seq }) => [seq],
  complete: withBothLegs,
  present: presentComboRedemption,
})

/** With the legs of the redeemed position and of the received one. */
async function withBothLegs(sql: Sql, rows: ComboRedemptionRow[]) {
  const sources = await withLegs(sql, rows)
  const destinations = await withLegs(
    sql,
    rows.map(({ destination }) => ({ combo: destination })),
  )
  return sources.map((row, index) => ({ ...row, destinationLegs: destinations[index]?.legs ?? [] }))
}

const DESCRIPTION = `Newest first: redemptions (\`full\`), compressions, which leave nothing (\`full\`) or fewer legs (\`partial\`), and logs
that change the form of a combo (\`transformation\`). \`position_id\` finds the logs that name it; those that name
only a condition are found by \`condition_id\`.`

const common = {
  tag: 'combos',
  access: V3,
  page: { name: 'redemptions', limitMax: 300 },
  view: redemptionView,
}

export const comboRedemptions = defineList({
  ...common,
  path: '/v3/combos/redemptions',
  operationId: 'listComboRedemptions',
  summary: 'Redemptions of combos',
  description: DESCRIPTION,
  narrowBy: ['after', 'before', 'wallet', 'condition_id', 'event_kind'],
  query: Type.Object({ ...Filters, wallet: Type.Optional(Address) }),
  resolve: (sql, input, { until }) => resolveRedemptions(sql, input, input.wallet, until),
  extra: describedBy('v3.combos.redemptions'),
})

export const walletComboRedemptions = defineList({
  ...common,
  path: '/v3/wallets/:address/combos/redemptions',
  operationId: 'listWalletComboRedemptions',
  summary: 'Redemptions of a wallet in combos',
  description: DESCRIPTION,
  narrowBy: ['after', 'before', 'condition_id', 'event_kind'],
  params: Type.Object({ address: Address }),
  query: Type.Object(Filters),
  resolve: (sql, input, { until }) => resolveRedemptions(sql, input, input.address, until),
  extra: describedBy('v3.wallet_combos.redemptions'),
})

export const comboRedemptionRoutes = endpointRoutes([comboRedemptions, walletComboRedemptions])
