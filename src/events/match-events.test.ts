import { describe, expect, test } from 'vitest'
import type { PendingMatch } from '../upstreams/polygon/calldata.js'
import type { OrderV2 } from '../upstreams/polygon/order.js'
import { orderHash } from '../upstreams/polygon/order.js'
import { Enricher } from './enrichment.js'
import { type Match, toPendingMatch, toSettledMatch } from './match.js'
import { statusUpdateEvent } from './match-events.js'
import { fillEvents, settlementEvent } from './settlement.js'
import {
  ALICE,
  address,
  BLOCK,
  BOB,
  CONDITION,
  decimal,
  EXCHANGE,
  KNOWN_MARKETS,
  logAt,
  MARKET_FIELDS,
  makeEvent,
  makeEvents,
  makeFill,
  makeMatch,
  NO,
  NO_MARKETS,
  TIME_MS,
  word,
  YES,
} from './test-facts.js'

const NOW_MS = 1_790_000_131_250
const known = new Enricher(KNOWN_MARKETS)
const unknown = new Enricher(NO_MARKETS)

const makeOrder = (changes: Partial<OrderV2>): OrderV2 => ({
  version: 2,
  salt: 1n,
  maker: BOB,
  signer: address('5b'),
  tokenId: YES,
  makerAmount: 50_000_000n,
  takerAmount: 32_000_000n,
  side: 'SELL',
  signatureType: 2,
  timestampMs: 1_790_000_000_000n,
  metadata: word('0'),
  builder: word('0'),
  ...changes,
})

const offer = makeOrder({})
const bid = makeOrder({
  maker: ALICE,
  signer: address('5a'),
  side: 'BUY',
  makerAmount: 16_500_000n,
  takerAmount: 25_000_000n,
})

const CALL: PendingMatch = {
  generation: 2,
  exchange: EXCHANGE,
  conditionId: CONDITION,
  taker: { order: bid, usd: 16_000_000n, shares: 25_000_000n, fee: 40_000n },
  makers: [{ order: offer, usd: 16_000_000n, shares: 25_000_000n, fee: 0n }],
  legs: undefined,
}

const pending = toPendingMatch(word('f1'), CALL)
const settled = toSettledMatch(makeMatch())
const seen = { detectedMs: NOW_MS, block: undefined }
const read = (event: { data: object } | undefined) => JSON.parse(JSON.stringify(event?.data))

const OFFER_ROW = {
  maker: BOB,
  signer: address('5b'),
  taker: ALICE,
  token_id: decimal(YES),
  side: 'SELL',
  price: 0.64,
  size: 25,
  maker_amount: '25000000',
  taker_amount: '16000000',
  is_taker_order: false,
  outcome: 'Yes',
  order_hash: orderHash(offer, EXCHANGE),
  exchange_version: 'v2',
}

const TAKER = {
  taker_wallet: ALICE,
  taker_token: decimal(YES),
  taker_side: 'BUY',
  taker_price: 0.64,
  taker_size: 25,
}

describe('settlement', () => {
  test('of a pending match: the makers, then the order that takes, which is its own taker', () => {
    const event = settlementEvent(pending, seen, known)
    expect(read(event)).toEqual({
      event_type: 'settlement',
      tx_hash: word('f1'),
      status: 'pending',
      detected_at: NOW_MS,
      block_number: null,
      ...TAKER,
      trades: [
        OFFER_ROW,
        {
          ...OFFER_ROW,
          maker: ALICE,
          signer: address('5a'),
          side: 'BUY',
          maker_amount: '16000000',
          taker_amount: '25000000',
          is_taker_order: true,
          order_hash: orderHash(bid, EXCHANGE),
        },
      ],
      exchange_version: 'v2',
      outcome: 'Yes',
      ...MARKET_FIELDS,
    })
    expect(event.timestampMs).toBe(NOW_MS)
    expect(event.keys).toEqual({
      wallets: [ALICE, BOB],
      tokens: [decimal(YES)],
      conditionIds: [CONDITION],
      marketSlug: 'will-it-rain',
      eventSlug: 'weather',
      side: 'BUY',
      sizeUsd: 16,
      status: 'pending',
    })
  })

  test('waits for no metadata: the call names the condition', () => {
    const event = settlementEvent(pending, seen, unknown)
    expect(read(event)).toMatchObject({ condition_id: CONDITION })
    expect(read(event)).not.toHaveProperty('market_slug')
    expect(event.keys.conditionIds).toEqual([CONDITION])
  })

  test('of a match that was first seen in its block: what the logs say', () => {
    const event = settlementEvent(settled, { detectedMs: NOW_MS, block: BLOCK.number }, known)
    const data = read(event)
    expect(data).toMatchObject({ status: 'confirmed', block_number: BLOCK.number, ...TAKER })
    expect(data.trades[1]).toMatchObject({ maker: ALICE, taker: EXCHANGE })
    expect(data.trades[0]).toMatchObject({ maker: BOB, signer: BOB })
    expect(event.keys.status).toBe('confirmed')
  })

  test('an order that an operator filled itself has its mirror image as taker', () => {
    const fill = makeFill(3, { generation: 1, taker: address('99') })
    const match = toSettledMatch([fill])
    expect(match.taker).toMatchObject({ maker: address('99'), side: 'BUY', usd: fill.usd })
    expect(match.rows).toHaveLength(1)
  })
})

describe('fill', () => {
  test('is flat and always has the same fields, the exchange opposite the order that takes', () => {
    const [maker, taker] = fillEvents(pending, seen, known)
    expect(read(maker)).toEqual({
      order_hash: orderHash(offer, EXCHANGE),
      user: BOB,
      taker: ALICE,
      tx_hash: word('f1'),
      side: 'SELL',
      price: 0.64,
      shares: 25_000_000,
      shares_normalized: 25,
      token_id: decimal(YES),
      token_label: 'Yes',
      condition_id: CONDITION,
      market_slug: 'will-it-rain',
      title: 'Will it rain?',
      timestamp: 1_790_000_131,
      block_number: null,
      log_index: null,
      is_taker_order: false,
    })
    expect(read(taker)).toMatchObject({ user: ALICE, taker: EXCHANGE, side: 'BUY', is_taker_order: true })
    expect(maker?.keys).toMatchObject({ wallets: [BOB, ALICE], side: 'SELL', status: 'pending' })
  })

  test('names its log when it was first seen in a block, and is empty where the market is not known', () => {
    const sighting = { detectedMs: NOW_MS, block: BLOCK.number }
    const [maker] = fillEvents(settled, sighting, unknown)
    expect(read(maker)).toMatchObject({
      block_number: BLOCK.number,
      log_index: 3,
      token_label: '',
      condition_id: '',
      market_slug: '',
      title: '',
    })
  })
})

describe('status_update', () => {
  const confirmation = { block: BLOCK.number, confirmedMs: NOW_MS + 2_000 }

  test('has the fills of the logs', () => {
    const event = statusUpdateEvent(settled, { ...confirmation, detectedMs: NOW_MS }, known)
    const { outcome, signer, ...row } = OFFER_ROW
    expect(read(event)).toEqual({
      event_type: 'status_update',
      tx_hash: word('f1'),
      token_id: decimal(YES),
      block_number: BLOCK.number,
      confirmed_at: NOW_MS + 2_000,
      pending_detected_at: NOW_MS,
      latency_ms: 2_000,
      taker_wallet: ALICE,
      maker_wallets: [BOB],
      order_hashes: [word('0d3'), word('0d4')],
      confirmed_fills: [
        { ...row, order_hash: word('0d3'), fee: 0 },
        {
          ...row,
          maker: ALICE,
          taker: EXCHANGE,
          side: 'BUY',
          maker_amount: '16000000',
          taker_amount: '25000000',
          is_taker_order: true,
          order_hash: word('0d4'),
          fee: 0.04,
        },
      ],
      outcome,
      ...MARKET_FIELDS,
    })
    expect(event.timestampMs).toBe(NOW_MS + 2_000)
  })

  test('makers are named once, and all tokens can be found', () => {
    // Not detected before its block: clients require a time and a latency all the same.
    const [first, last] = makeMatch()
    const mint = makeFill(4, { side: 'BUY', token: NO, usd: 9_000_000n })
    const match: Match = toSettledMatch([first, mint, last])
    const event = statusUpdateEvent(match, { ...confirmation, detectedMs: undefined }, known)
    expect(read(event)).toMatchObject({
      maker_wallets: [BOB],
      pending_detected_at: NOW_MS + 2_000,
      latency_ms: 0,
    })
    expect(event.keys.tokens).toEqual([decimal(YES), decimal(NO)])
  })
})

describe('trade', () => {
  test('has a fill from the side of its owner, with the market', () => {
    const [maker] = makeMatch()
    const { event, data } = makeEvent('trade', { fills: [maker] })
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
      is_taker_order: false,
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
    const { data } = makeEvent('trade', { fills: [{ ...taker, negRisk: true }] })
    expect(data).toMatchObject({
      exchange: 'neg_risk_ctf_exchange',
      taker: EXCHANGE,
      side: 'BUY',
      maker_amount: '16000000',
      taker_amount: '25000000',
      is_taker_order: true,
      fee: 0.04,
    })
  })

  test('a fee in shares of the first generation is converted to money, without a version', () => {
    const fill = makeFill(3, { generation: 1, side: 'BUY', fee: 1_000_000n, isFeeInShares: true })
    const { data } = makeEvent('trade', { fills: [fill] })
    expect(data.fee).toBe(0.64)
    expect(data).not.toHaveProperty('exchange_version')
  })

  test('an unknown market leaves its fields out', () => {
    const { data } = makeEvent('trade', { fills: [makeFill(3)] }, NO_MARKETS)
    expect(Object.keys(data)).not.toContain('market_title')
    expect(Object.keys(data)).not.toContain('outcome')
    expect(data.token_id).toBe(decimal(YES))
  })

  test('fills of combos are not published as trades', () => {
    const fill = makeFill(3, { generation: 3, token: `0x03${'5'.repeat(32)}${'0'.repeat(30)}` })
    expect(makeEvents({ fills: [fill] }).map(({ type }) => type)).toEqual(['block'])
  })
})

describe('a market of the structured contracts', () => {
  const token = `0x02${'7'.repeat(32)}0003${'0'.repeat(20)}000101`
  const conditionId = `${token.slice(0, 64)}00`
  const v3 = { generation: 3 as const, token }
  const [offer, bid] = makeMatch()
  const match = toSettledMatch([
    { ...offer, ...v3 },
    { ...bid, ...v3 },
  ])
  const VENUE = { exchange_version: 'v3', protocol_version: 'v2', module: 'neg_risk' }

  test('is named by its id alone: protocol, module and the padded condition', () => {
    const detection = { detectedMs: NOW_MS, block: BLOCK.number }
    const settlement = settlementEvent(match, detection, unknown)
    expect(read(settlement)).toMatchObject({ ...VENUE, condition_id: conditionId })
    expect(read(settlement).trades).toMatchObject([VENUE, VENUE])
    expect(settlement.keys.conditionIds).toEqual([conditionId])

    const confirmation = { block: BLOCK.number, confirmedMs: NOW_MS, detectedMs: undefined }
    const update = read(statusUpdateEvent(match, confirmation, unknown))
    expect(update).toMatchObject({ protocol_version: 'v2', condition_id: conditionId })
    expect(update.confirmed_fills).toMatchObject([VENUE, VENUE])

    const [fill] = fillEvents(match, detection, unknown)
    const { exchange_version, ...protocol } = VENUE
    expect(read(fill)).toMatchObject({ ...protocol, condition_id: conditionId })
  })

  test('is traded on the exchange of its kind, by name', () => {
    const { data } = makeEvent('trade', { fills: [{ ...offer, ...v3 }] }, NO_MARKETS)
    expect(data).toMatchObject({ ...VENUE, exchange: 'neg_risk_ctf_exchange' })
    const binary = `0x01${token.slice(4)}`
    const { data: other } = makeEvent('trade', { fills: [{ ...offer, ...v3, token: binary }] })
    expect(other).toMatchObject({ module: 'binary', exchange: 'ctf_exchange' })
  })
})
