import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REDEMPTION_FLAGS } from '../../core/fact-flags.js'
import { presentRedemption } from './present.js'
import type { RedemptionRow } from './queries.js'

const { core, user, autoRedeemer, outcomes } = REDEMPTION_FLAGS
const PLAIN = `0x${'a'.repeat(64)}`
const structured = (module: 1 | 2 | 3) => `0x0${module}${'a'.repeat(32)}0002${'0'.repeat(26)}`
const ADAPTER = '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296'
const UMA = '0x65070be91477460d8a7aeeb94ef92fe056c2f2a7'

const rowOf = (fields: Partial<RedemptionRow>): RedemptionRow => ({
  seq: 7 * 2 ** 20 + 255,
  timeSec: 1_793_000_000,
  txHash: `0x${'1'.repeat(64)}`,
  condition: PLAIN,
  payout: 1_500_000n,
  flags: user + 3 * outcomes,
  oracle: null,
  tokens: [],
  payouts: null,
  resolvedSec: null,
  title: null,
  slug: null,
  image: null,
  isNegRisk: null,
  outcomes: null,
  marketTokens: null,
  eventTitle: null,
  eventSlug: null,
  isGone: false,
  ...fields,
})

describe('the source of a redemption', () => {
  test.each<[string, Partial<RedemptionRow>, string, string, boolean | null]>([
    ['the token contract', { flags: user + core }, 'direct_ctf', 'PayoutRedemption', null],
    ['the neg-risk adapter', { flags: user }, 'direct_neg_risk', 'PayoutRedemption', true],
    ['a module', { flags: user + core, condition: structured(1) }, 'direct_other', 'PositionRedeemed', false],
    [
      'the AutoRedeemer, of a condition that the adapter decides',
      { flags: user + autoRedeemer, oracle: ADAPTER },
      'auto_neg_risk',
      'NegRiskRedemption',
      true,
    ],
    [
      'the AutoRedeemer, of a condition that another oracle decides',
      { flags: user + autoRedeemer, oracle: UMA, isNegRisk: true },
      'auto_binary',
      'BinaryRedemption',
      false,
    ],
    [
      'the AutoRedeemer, of a condition that only the catalogue describes',
      { flags: user + autoRedeemer, isNegRisk: true },
      'auto_neg_risk',
      'NegRiskRedemption',
      true,
    ],
    [
      'the AutoRedeemer of the first contracts',
      { flags: user + core + autoRedeemer, oracle: UMA },
      'auto_binary',
      'PayoutRedemption',
      false,
    ],
    [
      'the AutoRedeemer, of a module',
      { flags: user + autoRedeemer, condition: structured(2) },
      'auto_neg_risk',
      'Redemption',
      true,
    ],
    [
      'the AutoRedeemer, of a combo',
      { flags: user + autoRedeemer, condition: structured(3) },
      'auto_combo',
      'Redemption',
      null,
    ],
  ])('%s', (_through, fields, source, event, isNegRisk) => {
    expect(presentRedemption(rowOf(fields))).toMatchObject({
      redemption_source: source,
      source_event: event,
      neg_risk: isNegRisk,
    })
  })
})

test('of a market that is not known, everything about it is null', () => {
  expect(presentRedemption(rowOf({}))).toMatchObject({
    id: `0x${'1'.repeat(64)}_0xff`,
    block_number: 7,
    log_index: 255,
    payout: '1500000',
    payout_usdc: 1.5,
    index_sets: ['1', '2'],
    token_ids: null,
    outcomes: null,
    payouts: null,
    outcome_prices: null,
    winning_outcome_index: null,
    winning_outcome: null,
    winning_token_id: null,
    resolved_at: null,
  })
})

test('prices of outcomes are between 0 and 1, and there is a winner when one outcome alone pays', () => {
  const numerators = fc.array(fc.nat(1_000), { minLength: 2, maxLength: 2 })
  fc.assert(
    fc.property(numerators, (payouts) => {
      const row = presentRedemption(rowOf({ payouts: payouts.map(String), outcomes: ['Yes', 'No'] }))
      const paying = payouts.flatMap((payout, outcome) => (payout > 0 ? [outcome] : []))
      expect(row.winning_outcome_index).toBe(paying.length === 1 ? paying[0] : null)
      const sum = row.outcome_prices?.reduce((all, price) => all + price, 0)
      expect(sum).toBeCloseTo(paying.length === 0 ? 0 : 1, 3)
      for (const price of row.outcome_prices ?? []) expect(price).toBeLessThanOrEqual(1)
    }),
  )
})
