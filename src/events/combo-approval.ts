import { Type } from 'typebox'
import type { EventDraft } from '../bus/event.js'
import type { ApprovalFact } from '../chain/facts/approval.js'
import { CONTRACTS, type ContractRole } from '../upstreams/polygon/contracts.js'
import type { MessageFamily } from './block-facts.js'
import { defineMessage, described, optional, presentLog, Wire } from './message.js'

const approval = defineMessage({
  type: 'combo_approval',
  summary: 'A wallet let a contract of combos move its tokens or money, or took that back.',
  examples: {
    Positions: { approval_type: 'position_manager_approval_for_all' },
    Collateral: { approval_type: 'collateral_allowance' },
  },
  canBePending: true,
  fields: {
    tx_hash: Wire.Hash,
    status: Type.Literal('confirmed'),
    detected_at: described(Wire.Ms, 'time of the block, Unix milliseconds'),
    block_number: Wire.Count,
    log_index: Wire.Count,
    approval_type: Type.Union([
      Type.Literal('position_manager_approval_for_all'),
      Type.Literal('collateral_allowance'),
    ]),
    owner: Wire.Address,
    operator: described(Wire.Address, 'who may move what the owner has'),
    approved: described(Type.Boolean(), 'false: the permission was taken back'),
    ...optional({
      amount_e6: described(Wire.Digits, 'of an allowance, in millionths'),
      target_role: described(Wire.Text, 'what the operator is; absent where it is none of ours'),
    }),
  },
})

/** Permissions to move structured positions, or the collateral that they are paid with. */
export const comboApprovalFamily = {
  messages: [approval],
  *fromBlock({ approvals }) {
    for (const fact of approvals) yield { seq: fact.seq, event: approvalEvent(fact) }
  },
} as const satisfies MessageFamily

function approvalEvent(fact: ApprovalFact): EventDraft {
  const { owner, operator, allowance, isApproved } = fact
  const { timestamp, ...log } = presentLog(fact)
  return approval.draft(
    timestamp,
    {
      ...log,
      status: 'confirmed',
      detected_at: timestamp,
      approval_type: fact.kind === 'positions' ? 'position_manager_approval_for_all' : 'collateral_allowance',
      owner,
      operator,
      approved: isApproved,
      amount_e6: allowance?.toString(),
      target_role: ROLE_NAMES.get(operator),
    },
    { wallets: [owner, operator] },
  )
}

const NAMES: Partial<Record<ContractRole, string>> = {
  positionManager: 'PositionManager',
  binaryModule: 'BinaryModule',
  negRiskModule: 'NegRiskModule',
  combinatorialModule: 'CombinatorialModule',
  router: 'Router',
  autoRedeemer: 'AutoRedeemer',
}

const ROLE_NAMES: ReadonlyMap<string, string> = new Map(
  CONTRACTS.flatMap(({ address, role, generation }): [string, string][] => {
    const name = role === 'exchange' ? `ExchangeV${generation}` : NAMES[role]
    return name === undefined ? [] : [[address, name]]
  }),
)
