import { describe, expect, test } from 'vitest'
import {
  ALICE,
  at,
  CONDITION,
  decimal,
  KNOWN_MARKETS,
  MARKET,
  NO,
  NO_MARKETS,
  word,
} from './test-tape.js'
import { logAt, tellOne } from './test-tell.js'

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

  test('tells the questions that were given and no single market', () => {
    const { event, data } = tellOne('positions_converted', { conversions: [conversion] }, markets)
    expect(data).toEqual({
      event_type: 'positions_converted',
      ...logAt(9),
      stakeholder: ALICE,
      market_id: word('e0'),
      index_set: word('3'),
      amount: 10,
      converted_outcomes: ['Will it rain?', 'Snow?'],
      event_title: 'Weather',
      neg_risk: true,
      tokens: { [decimal(NO)]: 'No', 2: 'No' },
    })
    expect(event?.keys).toMatchObject({
      tokens: [decimal(NO), '2', '5'],
      conditionIds: [CONDITION, word('c1')],
    })
  })

  test('a single question is named', () => {
    const single = { ...conversion, given: [NO] }
    const { data } = tellOne('positions_converted', { conversions: [single] }, markets)
    expect(data).toMatchObject({ market_slug: 'will-it-rain', taker_base_fee: null })
  })

  test('unknown markets leave only what the chain says', () => {
    const { data } = tellOne('positions_converted', { conversions: [conversion] }, NO_MARKETS)
    expect(Object.keys(data)).not.toContain('converted_outcomes')
    expect(Object.keys(data)).not.toContain('tokens')
  })
})
