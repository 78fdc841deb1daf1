import { describe, expect, test } from 'vitest'
import type { SplitFact } from '../chain/facts/split.js'
import {
  ALICE,
  address,
  at,
  BOB,
  CONDITION,
  decimal,
  KNOWN_MARKETS,
  logAt,
  MARKET,
  MARKET_FIELDS,
  makeEvent,
  makeEvents,
  NO,
  NO_MARKETS,
  PUSD,
  USDC_E,
  WRAPPED_COLLATERAL,
  word,
  YES,
} from './test-facts.js'

describe('position_change', () => {
  const transfer = {
    sub: 0,
    from: ALICE,
    to: BOB,
    token: NO,
    amount: 5_500_000n,
    isInternal: false,
    bearsCost: true,
  }

  test('has sender, receiver and token', () => {
    const { event, data } = makeEvent('position_change', { transfers: [{ ...at(7), ...transfer }] })
    expect(data).toEqual({
      event_type: 'position_change',
      ...logAt(7),
      from: ALICE,
      to: BOB,
      token_id: decimal(NO),
      amount: 5.5,
      transfer_type: 'single',
      outcome: 'No',
      ...MARKET_FIELDS,
    })
    expect(event?.keys.wallets).toEqual([ALICE, BOB])
  })

  test('several transfers of one log are a batch, and internal ones are not published', () => {
    const events = makeEvents({
      transfers: [
        { ...at(7), ...transfer },
        { ...at(7), ...transfer, sub: 1, token: YES },
        { ...at(8), ...transfer, isInternal: true },
      ],
    })
    const kinds = events.flatMap(({ data }) => data.transfer_type ?? [])
    expect(kinds).toEqual(['batch', 'batch'])
  })
})

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

  test('have the wallet, the amount and the market', () => {
    const { event, data } = makeEvent('position_split', { splits: [split] })
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
    makeEvent('position_merge', { splits: [{ ...split, isMerge: true }] })
  })

  test('splits inside a match are not published', () => {
    expect(makeEvents({ splits: [{ ...split, isUser: false }] }).map(({ type }) => type)).toEqual(['block'])
  })

  test('the collateral of an unknown market follows from the contract of the log', () => {
    const collateralOf = (changes: Partial<SplitFact>) =>
      makeEvent('position_split', { splits: [{ ...split, ...changes }] }, NO_MARKETS).data.collateral_token
    expect(collateralOf({ isCore: true })).toBe(USDC_E)
    expect(collateralOf({ isCore: false })).toBe(WRAPPED_COLLATERAL)
    expect(collateralOf({ condition: `0x01${'5'.repeat(32)}${'0'.repeat(30)}` })).toBe(PUSD)
  })
})

describe('positions_converted', () => {
  const other = { ...MARKET, conditionId: word('c1'), title: 'Snow?', tokenIds: ['1', '2'] }
  const markets = {
    ...KNOWN_MARKETS,
    byToken: (token: string) => (token === word('2') ? other : KNOWN_MARKETS.byToken(token)),
  }
  const conversion = {
    ...at(9),
    wallet: ALICE,
    market: word('e0'),
    indexSet: word('3'),
    amount: 10_000_000n,
    given: [NO, word('2')],
    taken: [word('5')],
    received: 10_000_000n,
    cash: 10_000_000n,
  }

  test('names the questions whose tokens were given, and no single market', () => {
    const { event, data } = makeEvent('positions_converted', { conversions: [conversion] }, markets)
    expect(data).toEqual({
      event_type: 'positions_converted',
      ...logAt(9),
      stakeholder: ALICE,
      market_id: word('e0'),
      index_set: word('3'),
      amount: 10,
      converted_outcomes: ['Will it rain?', 'Snow?'],
      event_title: 'Weather',
      event_slug: 'weather',
      neg_risk: true,
      token_ids: [decimal(NO), '2', '5'],
      tokens: { [decimal(NO)]: 'No', 2: 'No' },
    })
    expect(event?.keys).toMatchObject({
      tokens: [decimal(NO), '2', '5'],
      conditionIds: [CONDITION, word('c1')],
    })
  })

  test('a single question is named', () => {
    const single = { ...conversion, given: [NO] }
    const { data } = makeEvent('positions_converted', { conversions: [single] }, markets)
    expect(data).toMatchObject({ market_slug: 'will-it-rain', taker_base_fee: null })
  })

  test('unknown markets leave only what the chain says', () => {
    const { data } = makeEvent('positions_converted', { conversions: [conversion] }, NO_MARKETS)
    expect(Object.keys(data)).not.toContain('converted_outcomes')
    expect(Object.keys(data)).not.toContain('tokens')
  })
})

describe('deposit', () => {
  const flow = { from: address('d1'), to: ALICE, asset: PUSD, ramp: undefined, amount: 1_234_567n }

  test.each(['deposit', 'withdrawal'] as const)('%s', (kind) => {
    const { event, data } = makeEvent('deposit', { flows: [{ ...at(4), ...flow, kind }] })
    expect(data).toEqual({
      event_type: 'deposit',
      ...logAt(4),
      from: address('d1'),
      to: ALICE,
      amount: 1.234567,
      direction: kind,
    })
    expect(event?.keys).toMatchObject({ wallets: [address('d1'), ALICE], sizeUsd: 1.234567 })
  })

  test('collateral that neither comes in nor goes out is not published', () => {
    const flows = [
      { ...at(4), ...flow, kind: 'transfer' as const },
      { ...at(5), ...flow, kind: 'perps_deposit' as const },
    ]
    expect(makeEvents({ flows }).map(({ type }) => type)).toEqual(['block'])
  })
})
