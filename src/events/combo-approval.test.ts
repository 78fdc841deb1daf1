import { describe, expect, test } from 'vitest'
import type { ApprovalFact } from '../chain/facts/approval.js'
import { ALICE, address, at, BLOCK, makeEvent, TIME_MS, word } from './test-facts.js'

const EXCHANGE_V3 = '0xe3333700ca9d93003f00f0f71f8515005f6c00aa'

const LOG_POSITION = {
  event_type: 'combo_approval',
  tx_hash: word('f1'),
  status: 'confirmed',
  detected_at: TIME_MS,
  block_number: BLOCK.number,
  log_index: 4,
}

const positions: ApprovalFact = {
  ...at(4),
  kind: 'positions',
  owner: ALICE,
  operator: EXCHANGE_V3,
  isApproved: true,
  allowance: undefined,
}

describe('combo_approval', () => {
  test('of positions says what the operator is', () => {
    const { event, data } = makeEvent('combo_approval', { approvals: [positions] })
    expect(data).toEqual({
      ...LOG_POSITION,
      approval_type: 'position_manager_approval_for_all',
      owner: ALICE,
      operator: EXCHANGE_V3,
      approved: true,
      target_role: 'ExchangeV3',
    })
    expect(event?.keys).toMatchObject({ wallets: [ALICE, EXCHANGE_V3], status: 'confirmed' })
  })

  test('of collateral has its amount; nothing is allowed any more when it is zero', () => {
    const operator = address('77')
    const taken = { ...positions, operator, kind: 'collateral' as const, isApproved: false }
    const { data } = makeEvent('combo_approval', { approvals: [{ ...taken, allowance: 0n }] })
    expect(data).toEqual({
      ...LOG_POSITION,
      approval_type: 'collateral_allowance',
      owner: ALICE,
      operator,
      approved: false,
      amount_e6: '0',
    })
  })
})
