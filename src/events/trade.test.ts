import { describe, expect, test } from 'vitest'
import {
  ALICE,
  BOB,
  CONDITION,
  decimal,
  EXCHANGE,
  MARKET_FIELDS,
  makeFill,
  makeMatch,
  NO_MARKETS,
  word,
  YES,
} from './test-tape.js'
import { logAt, TIME_MS, tell, tellOne } from './test-tell.js'

describe('trade', () => {
  test('tells a fill from the side of its owner, with the market', () => {
    const [maker] = makeMatch()
    const { event, data } = tellOne('trade', { fills: [maker] })
    expect(data).toEqual({
      event_type: 'trade',
      ...logAt(3),
      exchange: 'ctf_exchange',
      maker: BOB,
      taker: ALICE,
      token_id: decimal(YES),
      side: 'SELL',
      price: 0.64,
      size: 25,
      maker_amount: '25000000',
      taker_amount: '16000000',
      fee: 0,
      order_hash: word('0d3'),
      exchange_version: 'v2',
      outcome: 'Yes',
      ...MARKET_FIELDS,
    })
    expect(event?.timestampMs).toBe(TIME_MS)
    expect(event?.keys).toEqual({
      wallets: [BOB, ALICE],
      tokens: [decimal(YES)],
      conditionIds: [CONDITION],
      marketSlug: 'will-it-rain',
      eventSlug: 'weather',
      side: 'SELL',
      sizeUsd: 16,
      status: 'confirmed',
    })
  })

  test('a buyer gives money, and its own log names the exchange', () => {
    const [, taker] = makeMatch()
    const { data } = tellOne('trade', { fills: [{ ...taker, negRisk: true }] })
    expect(data).toMatchObject({
      exchange: 'neg_risk_ctf_exchange',
      taker: EXCHANGE,
      side: 'BUY',
      maker_amount: '16000000',
      taker_amount: '25000000',
      fee: 0.04,
    })
  })

  test('a fee in shares of the first generation is told in money, and no version', () => {
    const fill = makeFill(3, { generation: 1, side: 'BUY', fee: 1_000_000n, isFeeInShares: true })
    const { data } = tellOne('trade', { fills: [fill] })
    expect(data.fee).toBe(0.64)
    expect(data).not.toHaveProperty('exchange_version')
  })

  test('an unknown market leaves its fields out', () => {
    const { data } = tellOne('trade', { fills: [makeFill(3)] }, NO_MARKETS)
    expect(Object.keys(data)).not.toContain('market_title')
    expect(Object.keys(data)).not.toContain('outcome')
    expect(data.token_id).toBe(decimal(YES))
  })

  test('combos are told elsewhere', () => {
    const fill = makeFill(3, { generation: 3, token: `0x03${'5'.repeat(32)}${'0'.repeat(30)}` })
    expect(tell({ fills: [fill] }).map(({ type }) => type)).toEqual(['block'])
  })
})
