import { describe, expect, test } from 'vitest'
import type { RedemptionFact } from '../chain/facts/redemption.js'
import {
  ALICE,
  at,
  CONDITION,
  decimal,
  KNOWN_MARKETS,
  logAt,
  MARKET,
  MARKET_FIELDS,
  makeEvent,
  NO,
  NO_MARKETS,
  PUSD,
  USDC_E,
  YES,
} from './test-facts.js'

describe('redemption', () => {
  const redemption: RedemptionFact = {
    ...at(6),
    wallet: ALICE,
    condition: CONDITION,
    tokens: [YES],
    amounts: [25_000_000n],
    payout: 25_000_000n,
    isCore: true,
    isUser: true,
    outcomes: 3,
    source: 'direct',
  }
  const resolution = { ...at(2), condition: CONDITION, payouts: [1n, 0n] }

  test('has the payout, and the result that it follows from', () => {
    const { event, data } = makeEvent('redemption', {
      redemptions: [redemption],
      resolutions: [resolution],
    })
    expect(data).toEqual({
      event_type: 'redemption',
      ...logAt(6),
      redeemer: ALICE,
      collateral_token: USDC_E,
      index_sets: [1, 2],
      payout: 25,
      payout_e6: '25000000',
      payouts: [1, 0],
      outcome_prices: [1, 0],
      winning_outcome_index: 0,
      winning_outcome: 'Yes',
      winning_token_id: decimal(YES),
      ...MARKET_FIELDS,
    })
    expect(event?.keys).toMatchObject({ wallets: [ALICE], sizeUsd: 25 })
  })

  test('a draw has no winner', () => {
    const { data } = makeEvent('redemption', {
      redemptions: [{ ...redemption, tokens: [YES, NO], amounts: [1n, 1n], payout: 1n }],
      resolutions: [{ ...resolution, payouts: [1n, 1n] }],
    })
    expect(data).toMatchObject({ index_sets: [1, 2], outcome_prices: [0.5, 0.5] })
    expect(data).not.toHaveProperty('winning_outcome_index')
  })

  test('without a known result nothing is said about it', () => {
    const { data } = makeEvent('redemption', { redemptions: [{ ...redemption, payout: 0n }] })
    expect(data.payout).toBe(0)
    expect(data).not.toHaveProperty('payouts')
  })

  test.each([
    ['BinaryRedemption', CONDITION, KNOWN_MARKETS],
    ['NegRiskRedemption', CONDITION, { ...KNOWN_MARKETS, byCondition: () => ({ ...MARKET, negRisk: true }) }],
    ['Redemption', `0x03${'5'.repeat(32)}${'0'.repeat(30)}`, NO_MARKETS],
  ])('made by the service: AutoRedeemer.%s, and a step of its own', (name, condition, markets) => {
    const facts = { redemptions: [{ ...redemption, condition, source: 'auto_redeemer' as const }] }
    const { data } = makeEvent('redemption', facts, markets)
    expect(data.source).toBe(`AutoRedeemer.${name}`)
    const { data: step } = makeEvent('combo_lifecycle', facts, markets)
    expect(step).toMatchObject({
      action: 'Redeem',
      user: ALICE,
      module_name: 'AutoRedeemer',
      payout_e6: '25000000',
      log_index: 6,
    })
    expect(step).not.toHaveProperty('legs')
    expect(step.side).toBe(name === 'Redemption' ? 'NO' : undefined)
  })

  test('a structured position says which market and outcome it is', () => {
    const condition = `0x01${'5'.repeat(32)}${'0'.repeat(30)}`
    const tokens = [`${condition.slice(0, -2)}01`]
    const { data } = makeEvent(
      'redemption',
      { redemptions: [{ ...redemption, condition, tokens, outcomes: 2 }] },
      NO_MARKETS,
    )
    expect(data).toMatchObject({
      index_sets: [2],
      collateral_token: PUSD,
      condition_id: condition,
      protocol_version: 'v2',
      module: 'binary',
      token_ids: [decimal(condition), decimal(`${condition.slice(0, -2)}01`)],
    })
  })

  test('without its market it is found by the tokens that were given', () => {
    const { event, data } = makeEvent('redemption', { redemptions: [redemption] }, NO_MARKETS)
    expect(data.token_ids).toEqual([decimal(YES)])
    expect(event?.keys.tokens).toEqual([decimal(YES)])
  })

  test('with its market it is found by both tokens, also when none was given', () => {
    const empty = { ...redemption, tokens: [], amounts: [], payout: 0n }
    const { event } = makeEvent('redemption', { redemptions: [empty] })
    expect(event?.keys.tokens).toEqual([decimal(YES), decimal(NO)])
  })
})
