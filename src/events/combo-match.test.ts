import { expect, test } from 'vitest'
import { comboExecutionEvent, comboStatusUpdateEvent } from './combo-match.js'
import { Enricher } from './enrichment.js'
import { type Match, toSettledMatch } from './match.js'
import { blockEvents } from './registry.js'
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
    maker_address: BOB,
    taker: ALICE,
    taker_address: ALICE,
    is_taker_order: false,
    side: 'BUY',
    outcome: 'NO',
    outcome_side: 'NO',
    price: 0.36,
    price_e6: '360000',
    size: 25,
    size_e6: '25000000',
    amount_usdc: 9,
    maker_amount_e6: '9000000',
    taker_amount_e6: '25000000',
    fee: 0,
    fee_e6: '0',
  },
  {
    position_id: decimal(YES),
    order_hash: word('0d4'),
    maker: ALICE,
    maker_address: ALICE,
    taker: EXCHANGE_V3,
    taker_address: EXCHANGE_V3,
    is_taker_order: true,
    side: 'BUY',
    outcome: 'YES',
    outcome_side: 'YES',
    price: 0.64,
    price_e6: '640000',
    size: 25,
    size_e6: '25000000',
    amount_usdc: 16,
    maker_amount_e6: '16000000',
    taker_amount_e6: '25000000',
    fee: 0.04,
    fee_e6: '40000',
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

/** The names that the older generation of clients reads. */
const PARTIES = {
  yes_position_id: decimal(YES),
  no_position_id: decimal(NO),
  leg_position_ids: [decimal(LEG)],
  direction: 'BUY',
  side: 'YES',
  price_e6: '640000',
  size_e6: '25000000',
  amount_usdc: 16,
  notional_usdc: 16,
  maker_address: BOB,
  taker_address: ALICE,
}

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
    legs_total: 1,
    ...PARTIES,
    order_hashes: [word('0d3'), word('0d4')],
    trades: ROWS,
  })
  expect(event.keys).toEqual({
    wallets: [ALICE, BOB],
    tokens: [decimal(NO), decimal(YES), decimal(LEG)],
    conditionIds: [YES, `${LEG.slice(0, 64)}00`],
    marketSlug: undefined,
    eventSlug: undefined,
    side: 'YES',
    sizeUsd: 16,
    status: 'pending',
    combo: {
      conditionId: YES,
      legPositionIds: [decimal(LEG)],
      eventIds: [COMBO.slice(0, 60), LEG.slice(0, 60)],
      moduleIds: [3, 1],
      direction: 'BUY',
    },
  })
})

test('a pending order says who signed it and how', () => {
  const rows = settled.rows.map((row) => ({ ...row, signer: address('51'), signatureType: 2 }))
  const data = read(comboExecutionEvent({ ...settled, rows }, NOW_MS, known))
  expect(data).toMatchObject({ signer_address: address('51'), signature_type: 2 })
  expect(data.trades[0]).toMatchObject({ signer: address('51'), signer_address: address('51') })
})

test('legs that the call itself prepares need no memory', () => {
  const fresh = new Enricher(NO_MARKETS)
  expect(read(comboExecutionEvent({ ...settled, legs: [LEG] }, NOW_MS, fresh)).legs).toEqual(LEGS)
  expect(read(comboExecutionEvent(settled, NOW_MS, fresh)).legs).toEqual([])
})

const NOTHING_ELSE = { fees: [], transfers: [], steps: [] }

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
  const event = comboStatusUpdateEvent(settled, confirmation, { ...NOTHING_ELSE, fees: [fee] }, known)
  expect(read(event)).toEqual({
    event_type: 'combo_status_update',
    tx_hash: word('f1'),
    block_number: BLOCK.number,
    confirmed_at: NOW_MS + 2_500,
    execution_status: 'CONFIRMED',
    pending_detected_at: NOW_MS,
    latency_ms: 2_500,
    combo_condition_id: COMBO,
    ...PARTIES,
    legs: LEGS,
    order_hashes: [word('0d3'), word('0d4')],
    confirmed_fills: ROWS,
    execution_summaries: [
      {
        taker_order_hash: word('0d4'),
        taker_order_maker: ALICE,
        position_id: decimal(YES),
        side: 'BUY',
        price: 0.64,
        size: 25,
        maker_amount_e6: '16000000',
        taker_amount_e6: '25000000',
      },
    ],
    fees: [{ receiver: address('fee'), amount_e6: '40000', amount_usdc: 0.04, log_index: 9 }],
    confirmed_transfers: [],
    lifecycle_events: [],
  })
  expect(event.keys.wallets).toEqual([ALICE, BOB, address('fee')])
  const unseen = comboStatusUpdateEvent(
    settled,
    { ...confirmation, detectedMs: undefined },
    NOTHING_ELSE,
    known,
  )
  expect(read(unseen)).not.toHaveProperty('pending_detected_at')
  expect(read(unseen)).not.toHaveProperty('latency_ms')
})

test('combo_status_update has what else its transaction did', () => {
  const prepared = { ...at(1), condition: YES, legs: [LEG] }
  const moved = {
    ...at(7),
    sub: 0,
    from: ALICE,
    to: address('c3'),
    token: YES,
    amount: 5_000_000n,
    isInternal: false,
    bearsCost: true,
  }
  const batch = makeBatch({
    fills: [
      makeFill(3, { ...offer, ...combo, token: NO, side: 'BUY', usd: 9_000_000n }),
      { ...bid, ...combo, taker: EXCHANGE_V3, token: YES },
    ],
    combos: [prepared, { ...prepared, seq: at(2).seq, txHash: word('f2') }],
    transfers: [moved],
  })
  const confirmation = { block: BLOCK.number, confirmedMs: NOW_MS, detectedMs: NOW_MS }
  const event = blockEvents(batch, BLOCK, known, () => ({ confirmation, isNew: false })).find(
    ({ type }) => type === 'combo_status_update',
  )
  const data = JSON.parse(JSON.stringify(event?.data))
  expect(data.lifecycle_events).toMatchObject([
    { action: 'Prepare', log_index: 1, tx_hash: word('f1') },
    { action: 'Transfer', log_index: 7, user: ALICE },
  ])
  expect(data.lifecycle_events[0]).not.toHaveProperty('event_type')
  const transfer = {
    position_id: decimal(YES),
    from: ALICE,
    to: address('c3'),
    amount_e6: '5000000',
    log_index: 7,
  }
  expect(data.confirmed_transfers).toEqual([transfer])
  expect(data.lifecycle_events[1].confirmed_transfers).toEqual([transfer])
  expect(event?.keys.wallets).toContain(address('c3'))
})
