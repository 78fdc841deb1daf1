import { expect, test } from 'vitest'
import { presentComboRedemption } from './present.js'

type Row = Parameters<typeof presentComboRedemption>[0]
type Leg = Row['legs'][number]

const combo = (hash: string, outcome: 0 | 1 = 0) => `0x03${hash.repeat(32)}${'0'.repeat(28)}0${outcome}`
const market = (hash: string) => `0x01${hash.repeat(32)}${'0'.repeat(30)}`
const legOf = (token: string, index: number) =>
  ({
    token,
    place: index,
    outcome: 0,
    numerator: null,
    denominator: null,
    resolvedSec: null,
    marketId: null,
  }) as Leg

const [A, B, C] = [market('a'), market('b'), market('c')]
const legs = [A, B, C].map(legOf)

const rowOf = (fields: Partial<Row>): Row => ({
  seq: 5 * 2 ** 20 + 17,
  timeSec: 1_793_000_000,
  kind: 'compressed',
  amount: 4_000_000n,
  payout: 0n,
  wallet: `0x${'1'.repeat(40)}`,
  combo: 1,
  condition: combo('d'),
  position: combo('d', 1),
  positions: [combo('d', 1), combo('e', 1)],
  destination: 2,
  destinationLegs: [legOf(C, 0)],
  balance: null,
  txHash: `0x${'2'.repeat(64)}`,
  isGone: false,
  legs,
  ...fields,
})

const tokensOf = (shown: { leg_position_id: string }[] | null) =>
  shown?.map((leg) => `0x${BigInt(leg.leg_position_id).toString(16).padStart(64, '0')}`)

test('a compression to another combo leaves the legs of that combo', () => {
  const row = presentComboRedemption(rowOf({ destinationLegs: [B, C].map(legOf), balance: 1n }))
  expect(tokensOf(row.remaining_legs)).toEqual([B, C])
  expect(tokensOf(row.removed_legs)).toEqual([A])
  expect(row).toMatchObject({
    leg_transition: '3_to_2',
    removed_leg_count: 1,
    reduced_combo_condition_id: combo('e').slice(0, 64),
    remaining_combo: {
      shares_created: '4.000000',
      current_wallet_balance: '0.000001',
      still_held: true,
      status: 'OPEN',
    },
    metadata_coverage: 'complete',
  })
})

test('a compression to a market leaves that leg', () => {
  const row = presentComboRedemption(rowOf({ positions: [combo('d'), B], destinationLegs: [] }))
  expect(tokensOf(row.remaining_legs)).toEqual([B])
  expect(row).toMatchObject({
    leg_transition: '3_to_1',
    remaining_combo: { still_held: false, status: 'CLOSED' },
  })
})

test('what is not known of legs is null, and said', () => {
  const unknown = {
    remaining_legs: null,
    removed_legs: null,
    leg_transition: null,
    remaining_leg_count: null,
  }
  expect(presentComboRedemption(rowOf({ destinationLegs: [] }))).toMatchObject({
    ...unknown,
    metadata_coverage: 'missing_reduced_legs',
  })
  expect(presentComboRedemption(rowOf({ legs: [] }))).toMatchObject({
    ...unknown,
    metadata_coverage: 'missing_source_legs',
  })
})

test.each([
  ['comboWrapped', [combo('d'), A], { source: A, destination: combo('d') }],
  ['comboUnwrapped', [combo('d'), A], { source: combo('d'), destination: A }],
])('%s goes from one position to the other', (kind, positions, { source, destination }) => {
  expect(presentComboRedemption(rowOf({ kind, positions }))).toMatchObject({
    redemption_scope: 'transformation',
    redemption_type: 'COMBO_TRANSFORMATION',
    source_position_id: `${BigInt(source)}`,
    destination_position_id: `${BigInt(destination)}`,
    underlying_position_id: `${BigInt(A)}`,
  })
})

test.each([
  ['extracted', 'full_combo_condition_id', 'condition_extraction', 'EXTRACT'],
  ['injected', 'full_combo_condition_id', 'condition_injection', 'INJECT'],
  ['convertedToYesBasket', 'full_combo_condition_id', 'lifecycle_transformation', 'CONVERT_TO_YES_BASKET'],
  ['splitOnEvent', 'parent_combo_condition_id', 'lifecycle_transformation', 'SPLIT'],
])('%s names its combo as %s', (kind, field, evidence, type) => {
  expect(presentComboRedemption(rowOf({ kind, positions: [], position: null, payout: null }))).toMatchObject({
    [field]: combo('d').slice(0, 64),
    redemption_evidence: evidence,
    type,
    is_partial_combo_reduction: kind === 'extracted',
    collateral_out_usdc: null,
    has_collateral_payout: false,
  })
})
