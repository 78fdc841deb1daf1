import { describe, expect, test } from 'vitest'
import {
  ALICE,
  address,
  at,
  BLOCK,
  BOB,
  decimal,
  MARKET,
  makeEvent,
  makeEvents,
  NO_MARKETS,
  TIME_MS,
  word,
} from './test-facts.js'

describe('combo_lifecycle', () => {
  const combo = `0x03${'5'.repeat(32)}${'0'.repeat(28)}`
  const leg = `0x02${'7'.repeat(32)}0003${'0'.repeat(20)}000101`
  const prepared = { seq: at(1).seq, txHash: word('f1'), condition: `${combo}00`, legs: [leg] }
  const presentedLeg = {
    position_id: decimal(leg),
    module_id: 2,
    module_name: 'NegRiskModule',
    condition_id: leg.slice(0, 64),
    event_id: leg.slice(0, 60),
    arity: 3,
    condition_index: 1,
    outcome_index: 1,
    leg_outcome_label: 'No',
  }

  test('a new combo has its legs', () => {
    const { event, data } = makeEvent('combo_lifecycle', { combos: [prepared] })
    expect(data).toEqual({
      event_type: 'combo_lifecycle',
      tx_hash: word('f1'),
      block_number: BLOCK.number,
      log_index: 1,
      status: 'confirmed',
      detected_at: TIME_MS,
      action: 'Prepare',
      combo_condition_id: combo,
      condition_ids: [combo],
      event_ids: [combo.slice(0, 60)],
      module_id: 3,
      module_name: 'CombinatorialModule',
      yes_position_id: decimal(`${combo}00`),
      no_position_id: decimal(`${combo}01`),
      position_ids: [],
      leg_position_ids: [decimal(leg)],
      legs: [presentedLeg],
      confirmed_transfers: [],
    })
    expect(event?.keys).toMatchObject({
      tokens: [decimal(leg)],
      conditionIds: [`${combo}00`, `${leg.slice(0, 64)}00`],
      combo: {
        conditionId: `${combo}00`,
        legPositionIds: [decimal(leg)],
        eventIds: [combo.slice(0, 60), leg.slice(0, 60)],
        moduleIds: [3, 2],
        action: 'Prepare',
      },
    })
  })

  test('a leg has its market when the catalogue has it', () => {
    const markets = { ...NO_MARKETS, byToken: () => MARKET }
    const { data } = makeEvent('combo_lifecycle', { combos: [prepared] }, markets)
    expect(data.legs[0].market).toEqual({
      title: MARKET.title,
      slug: MARKET.slug,
      image: MARKET.image,
      event_title: MARKET.eventTitle,
      event_slug: MARKET.eventSlug,
      outcomes: MARKET.outcomes,
      token_ids: MARKET.tokenIds,
    })
  })

  const step = {
    ...at(8),
    contract: address('30'),
    wallet: ALICE,
    condition: `${combo}00`,
    tokens: [`${combo}00`],
    amount: 3_000_000n,
    payout: 2_000_000n,
  }

  test('a step has its amounts', () => {
    const { data, event } = makeEvent('combo_lifecycle', {
      comboEvents: [{ ...step, kind: 'positionRedeemed' }],
    })
    expect(event?.keys).toMatchObject({ wallets: [ALICE], side: 'YES', sizeUsd: 2 })
    expect(data).toMatchObject({
      action: 'Redeem',
      user: ALICE,
      stakeholder: ALICE,
      amount_e6: '3000000',
      amount_usdc: 3,
      payout_e6: '2000000',
      payout_usdc: 2,
      side: 'YES',
      position_ids: [decimal(`${combo}00`)],
    })
  })

  test('a step that turns one position into another says which', () => {
    const tokens = [`${combo}00`, `${combo}01`]
    const { data } = makeEvent('combo_lifecycle', {
      comboEvents: [{ ...step, tokens, kind: 'compressed' }],
    })
    expect(data).toMatchObject({
      action: 'Compress',
      source_position_ids: [decimal(`${combo}00`)],
      destination_position_ids: [decimal(`${combo}01`)],
    })
    expect(data).not.toHaveProperty('side')
  })

  test('a wrapped position was given for its combo', () => {
    const tokens = [`${combo}00`, leg]
    const { data } = makeEvent('combo_lifecycle', {
      comboEvents: [{ ...step, tokens, kind: 'comboWrapped' }],
    })
    expect(data).toMatchObject({
      action: 'Wrap',
      source_position_ids: [decimal(leg)],
      destination_position_ids: [decimal(`${combo}00`)],
    })
  })

  test('a step of an event names it and no condition', () => {
    const condition = `${leg.slice(0, 60)}000000`
    const { data } = makeEvent('combo_lifecycle', {
      comboEvents: [{ ...step, condition, tokens: [], kind: 'horizontalSplit' }],
    })
    expect(data).toMatchObject({
      action: 'HorizontalSplit',
      module_id: 2,
      condition_ids: [],
      event_ids: [leg.slice(0, 60)],
    })
  })

  test('a gift of structured shares is a step of both wallets', () => {
    const { event, data } = makeEvent('combo_lifecycle', {
      transfers: [
        {
          ...at(5),
          sub: 0,
          from: ALICE,
          to: BOB,
          token: leg,
          amount: 3_000_000n,
          isInternal: false,
          bearsCost: true,
        },
      ],
    })
    expect(data).toMatchObject({
      action: 'Transfer',
      user: ALICE,
      module_id: 2,
      side: 'NO',
      amount_e6: '3000000',
      confirmed_transfers: [
        { position_id: decimal(leg), from: ALICE, to: BOB, amount_e6: '3000000', log_index: 5 },
      ],
    })
    expect(event?.keys.wallets).toEqual([ALICE, BOB])
  })

  test('what the AutoRedeemer pays is a step without legs', () => {
    const redemption = {
      ...at(6),
      wallet: ALICE,
      condition: `${combo}00`,
      tokens: [`${combo}00`],
      amounts: [3_000_000n],
      payout: 3_000_000n,
      outcomes: 1,
      isCore: false,
      isUser: true,
      source: 'auto_redeemer' as const,
    }
    const { data } = makeEvent('combo_lifecycle', { redemptions: [redemption], combos: [] })
    expect(data).toMatchObject({
      action: 'Redeem',
      module_name: 'AutoRedeemer',
      condition_ids: [combo],
      payout_e6: '3000000',
      payout_usdc: 3,
    })
    expect(data).not.toHaveProperty('legs')
    const { data: paid } = makeEvent('redemption', { redemptions: [redemption] })
    expect(paid).toMatchObject({
      tx_hash: data.tx_hash,
      log_index: data.log_index,
      source: 'AutoRedeemer.Redemption',
      token_ids: [decimal(`${combo}00`), decimal(`${combo}01`)],
    })
  })

  test('a log that is no step is not published', () => {
    expect(makeEvents({ comboEvents: [{ ...step, kind: 'eventPrepared' }] })).toHaveLength(1)
  })
})
