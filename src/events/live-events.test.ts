import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { Bus } from '../bus/bus.js'
import type { BusEvent } from '../bus/event.js'
import type { BatchFacts } from '../chain/facts/registry.js'
import { createLog } from '../lib/log.js'
import type { Pool } from '../store/connection.js'
import { Enricher } from './enrichment.js'
import { EventLog } from './event-log.js'
import { LiveEvents } from './live-events.js'
import {
  ALICE,
  at,
  BLOCK,
  BOB,
  CONDITION,
  EXCHANGE,
  KNOWN_MARKETS,
  makeBatch,
  makeMatch,
  NO_STORE,
  word,
  YES,
} from './test-facts.js'

const MINUTE_MS = 60_000

const EXCHANGE_ABI = parseAbi([
  'struct Order { uint256 salt; address maker; address signer; uint256 tokenId; uint256 makerAmount; uint256 takerAmount; uint8 side; uint8 signatureType; uint256 timestamp; bytes32 metadata; bytes32 builder; bytes signature; }',
  'function matchOrders(bytes32, Order, Order[], uint256, uint256[], uint256, uint256[])',
])

/** The call that makes Alice buy what Bob offers. */
function matchOrders({ fill = 25_000_000n, fee = 40_000n } = {}): string {
  const none = `0x${'0'.repeat(64)}` as const
  const order = (wallet: string, side: number, makerAmount: bigint, takerAmount: bigint) => ({
    salt: 1n,
    maker: wallet as Hex,
    signer: wallet as Hex,
    tokenId: BigInt(YES),
    makerAmount,
    takerAmount,
    side,
    signatureType: 0,
    timestamp: 1_790_000_000_000n,
    metadata: none,
    builder: none,
    signature: '0x' as const,
  })
  const offer = order(BOB, 1, 50_000_000n, 32_000_000n)
  const bid = order(ALICE, 0, 16_000_000n, 25_000_000n)
  const args = [CONDITION as Hex, bid, [offer], 16_000_000n, [fill], fee, [0n]] as const
  return encodeFunctionData({ abi: EXCHANGE_ABI, args })
}

function open(
  markets = KNOWN_MARKETS,
  store: { sql: Pool } = NO_STORE,
  clock = new ManualClock((BLOCK.timeSec + 2) * 1000),
) {
  const errors: string[] = []
  const log = createLog('error', { write: (line) => errors.push(line) })
  const bus = new Bus({ clock, log })
  const batches: BusEvent[][] = []
  bus.subscribe((batch) => void batches.push([...batch]))
  const eventLog = new EventLog({ store, bus, clock })
  const live = new LiveEvents({ bus, eventLog, markets, clock, log })
  const types = () => batches.flat().map(({ type }) => type)
  return { clock, bus, eventLog, live, batches, types, errors }
}

const SETTLED = ['trade', 'trade', 'settlement', 'fill', 'fill', 'status_update', 'block']

const revert = (live: LiveEvents, toBlock: number, removedBlocks: number) => {
  live.onReverting(toBlock, removedBlocks)
  live.onReverted()
}

const commit = (live: LiveEvents, batch: BatchFacts) => live.onBooked(batch)()

describe('a batch that is committed', () => {
  test('its blocks are published in order', () => {
    const { live, batches } = open()
    const later = { ...BLOCK, number: BLOCK.number + 1, hash: word('b2') }
    commit(
      live,
      makeBatch({
        blocks: [BLOCK, later],
        fills: [...makeMatch(3, 'f1'), ...makeMatch(0, 'f2', later)],
      }),
    )
    expect(batches.map((batch) => batch.map(({ type }) => type))).toEqual([[...SETTLED, ...SETTLED]])
  })

  test('blocks older than five minutes are not published', () => {
    const { live, batches } = open()
    const old = { ...BLOCK, number: BLOCK.number - 200, timeSec: BLOCK.timeSec - 302 }
    commit(
      live,
      makeBatch({
        blocks: [old, BLOCK],
        fills: [...makeMatch(0, 'f1', old), ...makeMatch(3, 'f2')],
      }),
    )
    expect(batches).toHaveLength(1)
    expect(batches.flat().at(-1)?.data.block_number).toBe(BLOCK.number)
  })

  test('after an outage all blocks of a day are published after those before it', () => {
    const { live, batches, clock } = open()
    commit(live, makeBatch({ fills: makeMatch() }))
    clock.advance(23 * 60 * MINUTE_MS)
    commit(live, makeBatch({ fills: makeMatch() }))
    expect(batches).toHaveLength(2)
    clock.advance(60 * MINUTE_MS)
    commit(live, makeBatch({ fills: makeMatch() }))
    expect(batches).toHaveLength(2)
  })

  test('later redemptions have the results of blocks that were not published', () => {
    const { live, batches } = open()
    const old = { ...BLOCK, number: BLOCK.number - 900, timeSec: BLOCK.timeSec - 1_800 }
    const resolutions = [{ ...at(2, 'f1', old), condition: CONDITION, payouts: [1n, 0n] }]
    commit(live, makeBatch({ blocks: [old], resolutions }))
    const redemption = {
      ...at(6),
      wallet: ALICE,
      condition: CONDITION,
      tokens: [YES],
      amounts: [1n],
      payout: 1n,
      isCore: true,
      isUser: true,
      outcomes: 3,
      source: 'direct' as const,
    }
    commit(live, makeBatch({ redemptions: [redemption] }))
    expect(batches.flat()[0]?.data).toMatchObject({ winning_outcome: 'Yes' })
  })

  test('an error while events are made is logged and does not stop the block writer', () => {
    const { live, errors } = open({
      ...KNOWN_MARKETS,
      byToken: () => {
        throw new Error('no catalogue')
      },
    })
    commit(live, makeBatch({ fills: makeMatch() }))
    expect(errors).toHaveLength(1)
  })
})

describe('a reorganisation', () => {
  test('is published with the number of removed blocks, if there are any', () => {
    const { live, batches } = open()
    commit(live, makeBatch())
    revert(live, BLOCK.number - 3, 3)
    revert(live, BLOCK.number - 3, 0)
    expect(batches.flat().map(({ type, data }) => [type, data])).toEqual([
      ['block', expect.anything()],
      [
        'reorg',
        {
          event_type: 'reorg',
          fork_block: BLOCK.number - 3,
          first_removed_block: BLOCK.number - 2,
          removed_blocks: 3,
        },
      ],
    ])
  })

  test('a match in another block is confirmed again, one in the same block is not', () => {
    const { live, batches, clock } = open()
    let isFirst = true
    const replaceBlock = (hash: string) => {
      batches.length = 0
      revert(live, BLOCK.number - 1, isFirst ? 0 : 1)
      isFirst = false
      commit(live, makeBatch({ blocks: [{ ...BLOCK, hash }], fills: makeMatch() }))
      return batches.flat().map(({ type }) => type)
    }
    expect(replaceBlock(word('b1'))).toEqual(SETTLED)
    clock.advance(2_000)
    expect(replaceBlock(word('b9'))).toEqual(['reorg', 'trade', 'trade', 'status_update', 'block'])
    expect(replaceBlock(word('b1'))).toEqual(['reorg', 'trade', 'trade', 'block'])
  })
})

describe('onPending', () => {
  const call = (input: string, to = EXCHANGE) => ({ hash: word('f1'), to, input })

  test('other calls are no matches', () => {
    const { live, types } = open()
    live.onPending(call('0xdeadbeef'))
    live.onPending(call('0x3c2b4399', ALICE))
    expect(types()).toEqual([])
    expect(live.status).toEqual({
      pendingTransactions: 0,
      pendingForgotten: 0,
      pendingUnreadable: 0,
    })
  })

  test('a match is published at once and once, and its block only confirms it', () => {
    const { live, types, clock } = open()
    live.onPending(call(matchOrders()))
    live.onPending(call(matchOrders()))
    expect(types()).toEqual(['settlement', 'fill', 'fill'])
    expect(live.status.pendingTransactions).toBe(1)
    clock.advance(2_000)
    commit(live, makeBatch({ fills: makeMatch() }))
    expect(types().slice(3)).toEqual(['trade', 'trade', 'status_update', 'block'])
    expect(live.status.pendingTransactions).toBe(0)
  })

  test('a match that a node shows after its block is not published again', () => {
    const { live, types } = open()
    commit(live, makeBatch({ fills: makeMatch() }))
    live.onPending(call(matchOrders()))
    expect(types()).toEqual(SETTLED)
  })

  test('what never gets into a block is forgotten', () => {
    const { live, clock } = open()
    live.onPending(call(matchOrders()))
    clock.advance(11 * MINUTE_MS)
    live.onPending({ ...call(matchOrders()), hash: word('f2') })
    expect(live.status).toMatchObject({ pendingTransactions: 1, pendingForgotten: 1 })
  })

  test.each([
    ['a call without arguments', '0x3c2b4399'],
    ['offsets into nowhere', `0x3c2b4399${'f'.repeat(64 * 40)}`],
    ['more money than there is', matchOrders({ fill: 2n ** 256n - 1n })],
    ['a fee without end', matchOrders({ fee: 2n ** 255n })],
  ])('%s is counted and not published', (_what, input) => {
    const { live, types, errors } = open()
    live.onPending(call(input))
    expect(types()).toEqual([])
    expect(errors).toEqual([])
    expect(live.status).toMatchObject({ pendingUnreadable: 1, pendingTransactions: 0 })
  })
})

describe('a transaction that fails', () => {
  const batch = makeBatch({ fills: makeMatch() })

  async function openStored() {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const opened = open(KNOWN_MARKETS, database)
    await opened.live.lead(database.sql)
    return { ...opened, sql: database.sql }
  }

  test('rolled back: nothing is published until the block is booked again, then everything', async () => {
    const { live, sql, types } = await openStored()
    live.onBooked(batch)
    const fault = new Error('rollback')
    const booked = sql.begin(async (tx) => {
      await live.beforeCommit(tx)
      throw fault
    })
    await expect(booked).rejects.toBe(fault)
    await live.lead(sql)
    expect(types()).toEqual([])
    const publish = live.onBooked(batch)
    await sql.begin((tx) => live.beforeCommit(tx))
    publish()
    expect(types()).toEqual(SETTLED)
  })

  test('committed, and the answer is lost: it is published before the next one, once', async () => {
    const { live, sql, types } = await openStored()
    live.onBooked(batch)
    await sql.begin((tx) => live.beforeCommit(tx))
    live.onPending({ hash: word('f9'), to: EXCHANGE, input: matchOrders() })
    expect(types()).toEqual([])
    await live.lead(sql)
    expect(types()).toEqual([...SETTLED, 'settlement', 'fill', 'fill'])
    await live.lead(sql)
    expect(types()).toHaveLength(SETTLED.length + 3)
  })

  test('committed, and another process took over: it comes from the log, once', async () => {
    const { live, eventLog, bus, sql, types } = await openStored()
    live.onBooked(batch)
    await sql.begin((tx) => live.beforeCommit(tx))
    live.onPending({ hash: word('f9'), to: EXCHANGE, input: matchOrders() })
    live.follow()
    await eventLog.sync()
    expect(types()).toEqual(SETTLED)
    await live.lead(sql)
    expect(types()).toEqual(SETTLED)
    const seqs = bus.replay({ afterSeq: 0 }).map(({ seq }) => seq)
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
  })

  test('a match that an earlier process saw pending is confirmed, not announced again', async () => {
    const { live, sql, clock, bus } = await openStored()
    live.onPending({ hash: word('f1'), to: EXCHANGE, input: matchOrders() })
    live.onReverting(BLOCK.number - 1, 1)
    await sql.begin((tx) => live.beforeCommit(tx))
    live.onReverted()
    const [settlement] = bus.replay({ afterSeq: 0 })
    clock.advance(1_000)
    const next = open(KNOWN_MARKETS, { sql }, clock)
    await next.live.lead(sql)
    next.batches.length = 0
    commit(next.live, batch)
    expect(next.types()).toEqual(['trade', 'trade', 'status_update', 'block'])
    expect(next.batches.flat()[2]?.data).toMatchObject({
      tx_hash: settlement?.data.tx_hash,
      pending_detected_at: settlement?.timestampMs,
    })
  })
})

test('after a restart it knows the legs and the results of blocks before', async () => {
  const { sql, drop } = await createTestDatabase()
  onTestFinished(() => drop())
  const bytes = (text: string) => Buffer.from(text.slice(2), 'hex')
  const legs = [word('1'), word('2')]
  await sql`insert into conditions values (1, ${bytes(word('c0'))}, 1), (2, ${bytes(word('b1'))}, 2)`
  await sql`insert into combos values (1, 1, ${Buffer.concat(legs.map(bytes))}, ${bytes(word('7'))})`
  await sql`insert into resolutions values (2, 2, '{0,1}', ${bytes(word('8'))})`
  const enricher = new Enricher(KNOWN_MARKETS)
  await enricher.recall(sql)
  expect(enricher.legsOf(word('c0'))).toEqual(legs)
  expect(enricher.resultOf(word('b1'))).toMatchObject({ payouts: [0, 1], winner: 1 })
})
