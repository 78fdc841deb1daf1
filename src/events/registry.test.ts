import { describe, expect, test } from 'vitest'
import { seqOf } from '../core/seq.js'
import { Enricher } from './enrichment.js'
import { blockEvents, MESSAGE_FAMILIES, MESSAGES } from './registry.js'
import {
  ALICE,
  at,
  BLOCK,
  BOB,
  KNOWN_MARKETS,
  makeBatch,
  makeEvent,
  makeMatch,
  NO_MARKETS,
  PUSD,
  TIME_MS,
  word,
} from './test-facts.js'

describe('block', () => {
  test('sums up what was in it, each match once', () => {
    const fee = { kind: 'charged' as const, wallet: BOB, token: undefined, amount: 1n }
    const { event, data } = makeEvent('block', {
      fills: [...makeMatch(3, 'f1'), ...makeMatch(8, 'f2')],
      fees: [{ seq: at(6).seq, txHash: word('f1'), ...fee }],
      flows: [
        {
          ...at(12, 'f3'),
          kind: 'transfer',
          from: ALICE,
          to: BOB,
          asset: PUSD,
          ramp: undefined,
          amount: 1n,
        },
      ],
    })
    expect(event?.timestampMs).toBe(TIME_MS)
    expect(data).toEqual({
      event_type: 'block',
      block_number: BLOCK.number,
      block_hash: BLOCK.hash,
      timestamp: TIME_MS,
      parent_hash: BLOCK.parentHash,
      tx_count: 3,
      polymarket_tx_count: 3,
      settlement_count: 2,
      trade_volume_usd: 32,
    })
  })

  test('has the number of its transactions if it was read whole', () => {
    const batch = makeBatch()
    const [event] = blockEvents(batch, { ...BLOCK, txCount: 120 }, new Enricher(NO_MARKETS), () => undefined)
    expect(event?.data.tx_count).toBe(120)
  })
})

test('events come in the order of the logs, a match after its last fill, the block at the end', () => {
  const flow = {
    kind: 'deposit' as const,
    from: BOB,
    to: ALICE,
    asset: PUSD,
    ramp: undefined,
    amount: 1n,
  }
  const batch = makeBatch({
    fills: [...makeMatch(3, 'f1'), ...makeMatch(8, 'f2')],
    flows: [
      { ...at(1), ...flow },
      { ...at(6), ...flow },
      { ...at(12), ...flow },
    ],
  })
  const confirmation = { block: BLOCK.number, confirmedMs: TIME_MS, detectedMs: TIME_MS }
  const events = blockEvents(batch, BLOCK, new Enricher(KNOWN_MARKETS), () => ({
    confirmation,
    isNew: false,
  }))
  expect(events.map(({ type, data }) => `${type} ${data.log_index ?? data.tx_hash}`)).toEqual([
    'deposit 1',
    'trade 3',
    'trade 4',
    `status_update ${word('f1')}`,
    'deposit 6',
    'trade 8',
    'trade 9',
    `status_update ${word('f2')}`,
    'deposit 12',
    'block undefined',
  ])
})

test('each block of a batch has its own events', () => {
  const later = { ...BLOCK, number: BLOCK.number + 1, hash: word('b2') }
  const batch = makeBatch({
    blocks: [BLOCK, later],
    fills: [...makeMatch(3, 'f1'), ...makeMatch(0, 'f2', later)],
  })
  const seqs = [BLOCK, later].map((block) =>
    blockEvents(batch, block, new Enricher(NO_MARKETS), () => undefined)
      .filter(({ type }) => type === 'trade')
      .map(({ data }) => seqOf(Number(data.block_number), Number(data.log_index))),
  )
  expect(seqs).toEqual([
    [seqOf(BLOCK.number, 3), seqOf(BLOCK.number, 4)],
    [seqOf(later.number, 0), seqOf(later.number, 1)],
  ])
})

test('no two messages have the same event type', () => {
  const count = MESSAGE_FAMILIES.reduce((sum, { messages }) => sum + messages.length, 0)
  expect(MESSAGES.size).toBe(count)
})
