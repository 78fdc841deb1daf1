import { describe, expect, test } from 'vitest'
import type { SplitFact } from '../chain/attribute/tape.js'
import { ALICE, at, CONDITION, decimal, MARKET_FIELDS, NO, NO_MARKETS, YES } from './test-tape.js'
import { logAt, PUSD, tell, tellOne, USDC_E, WRAPPED_COLLATERAL } from './test-tell.js'

describe('position_split and position_merge', () => {
  const split: SplitFact = {
    ...at(5),
    isMerge: false,
    wallet: ALICE,
    condition: CONDITION,
    tokens: [YES, NO],
    amount: 100_000_000n,
    isCore: true,
    isUser: true,
  }

  test('tell what a wallet did', () => {
    const { event, data } = tellOne('position_split', { splits: [split] })
    expect(data).toEqual({
      event_type: 'position_split',
      ...logAt(5),
      stakeholder: ALICE,
      collateral_token: USDC_E,
      amount: 100,
      ...MARKET_FIELDS,
    })
    expect(event?.keys).toMatchObject({
      wallets: [ALICE],
      tokens: [decimal(YES), decimal(NO)],
      sizeUsd: 100,
    })
    tellOne('position_merge', { splits: [{ ...split, isMerge: true }] })
  })

  test('what a match does inside is no news', () => {
    expect(tell({ splits: [{ ...split, isUser: false }] }).map(({ type }) => type)).toEqual([
      'block',
    ])
  })

  test('the collateral of an unknown market follows from who told', () => {
    const collateralOf = (changes: Partial<SplitFact>) =>
      tellOne('position_split', { splits: [{ ...split, ...changes }] }, NO_MARKETS).data
        .collateral_token
    expect(collateralOf({ isCore: true })).toBe(USDC_E)
    expect(collateralOf({ isCore: false })).toBe(WRAPPED_COLLATERAL)
    expect(collateralOf({ condition: `0x01${'5'.repeat(32)}${'0'.repeat(30)}` })).toBe(PUSD)
  })
})
