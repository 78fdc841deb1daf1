import { expect, test } from 'vitest'
import { comboExecutionEvent, comboStatusUpdateEvent } from './combo-match.js'
import { Enricher } from './enrichment.js'
import { type Match, toSettledMatch } from './match.js'
import {
  ALICE,
  address,
  at,
  BLOCK,
  BOB,
  decimal,
  makeBatch,
  makeFill,
  makeMatch,
  NO_MARKETS,
  word,
} from './test-facts.js'

const NOW_MS = 1_790_000_131_250
const EXCHANGE_V3 = '0xe3333700ca9d93003f00f0f71f8515005f6c00aa'
const COMBO = `0x03${'5'.repeat(32)}${'0'.repeat(28)}`
const LEG = `0x01${'7'.repeat(32)}${'0'.repeat(28)}01`
const [YES, NO] = [`${COMBO}00`, `${COMBO}01`]

/** Alice buys YES and Bob NO: a dollar a share together. */
const [offer, bid] = makeMatch()
const combo = { exchange: EXCHANGE_V3, generation: 3 as const }
const settled: Match = toSettledMatch([
  makeFill(3, { ...offer, ...combo, token: NO, side: 'BUY', usd: 9_000_000n }),
  { ...bid, ...combo, taker: EXCHANGE_V3, token: YES },
])
const known = new Enricher(NO_MARKETS)
known.learn(makeBatch({ combos: [{ ...at(1), condition: YES, legs: [LEG] }] }))

const read = (event: { data: object }) => JSON.parse(JSON.stringify(event.data))

const ROWS = [
  {
    position_id: decimal(NO),
    order_hash: word('0d3'),
    maker: BOB,
    taker: ALICE,
    side: 'BUY',
    outcome: 'NO',
    price: 0.36,
    size: 25,
    amount_usdc: 9,
    fee: 0,
  },
  {
    position_id: decimal(YES),
    order_hash: word('0d4'),
    maker: ALICE,
    taker: EXCHANGE_V3,
    side: 'BUY',
    outcome: 'YES',
    price: 0.64,
    size: 25,
    amount_usdc: 16,
    fee: 0.04,
  },
]

const LEGS = [
  {
    position_id: decimal(LEG),
    module_id: 1,
    module_name: 'BinaryModule',
    condition_id: LEG.slice(0, 64),
    event_id: LEG.slice(0, 60),
    arity: 0,
    condition_index: 0,
    outcome_index: 1,
    leg_outcome_label: 'No',
  },
]

test('combo_execution has a pending match with its legs', () => {
  const event = comboExecutionEvent(settled, NOW_MS, known)
  expect(read(event)).toEqual({
    event_type: 'combo_execution',
    tx_hash: word('f1'),
    status: 'pending',
    detected_at: NOW_MS,
    block_number: null,
    combo_condition_id: COMBO,
    legs: LEGS,
    taker_wallet: ALICE,
    taker_token: decimal(YES),
    taker_side: 'BUY',
    outcome: 'YES',
    taker_price: 0.64,
    taker_size: 25,
    amount_usdc: 16,
    order_hashes: [word('0d3'), word('0d4')],
    trades: ROWS,
  })
  expect(event.keys).toEqual({
    wallets: [ALICE, BOB],
    tokens: [decimal(NO), decimal(YES), decimal(LEG)],
    conditionIds: [COMBO, LEG.slice(0, 64)],
    marketSlug: undefined,
    eventSlug: undefined,
    side: 'YES',
    sizeUsd: 16,
    status: 'pending',
  })
})

test('legs that the call itself prepares need no memory', () => {
  const fresh = new Enricher(NO_MARKETS)
  expect(read(comboExecutionEvent({ ...settled, legs: [LEG] }, NOW_MS, fresh)).legs).toEqual(LEGS)
  expect(read(comboExecutionEvent(settled, NOW_MS, fresh)).legs).toEqual([])
})

test('combo_status_update has the fills and fees of the block', () => {
  const fee = {
    seq: at(9).seq,
    txHash: word('f1'),
    kind: 'charged' as const,
    wallet: address('fee'),
    token: undefined,
    amount: 40_000n,
  }
  const confirmation = { block: BLOCK.number, confirmedMs: NOW_MS + 2_500, detectedMs: NOW_MS }
  const event = comboStatusUpdateEvent(settled, confirmation, [fee], known)
  expect(read(event)).toEqual({
    event_type: 'combo_status_update',
    tx_hash: word('f1'),
    block_number: BLOCK.number,
    confirmed_at: NOW_MS + 2_500,
    execution_status: 'CONFIRMED',
    pending_detected_at: NOW_MS,
    latency_ms: 2_500,
    combo_condition_id: COMBO,
    yes_position_id: decimal(YES),
    no_position_id: decimal(NO),
    leg_position_ids: [decimal(LEG)],
    legs: LEGS,
    order_hashes: [word('0d3'), word('0d4')],
    confirmed_fills: ROWS,
    fees: [{ receiver: address('fee'), amount_e6: '40000', amount_usdc: 0.04, log_index: 9 }],
    taker_address: ALICE,
    amount_usdc: 16,
  })
  const unseen = comboStatusUpdateEvent(
    settled,
    { ...confirmation, detectedMs: undefined },
    [],
    known,
  )
  expect(read(unseen)).not.toHaveProperty('pending_detected_at')
  expect(read(unseen)).not.toHaveProperty('latency_ms')
})
