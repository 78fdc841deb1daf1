import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeAct } from '../../../sim/contracts/encode.js'
import { marketPrepared } from '../../../sim/contracts/events/neg-risk.js'
import type { LogBody } from '../../../sim/contracts/log.js'
import { createEvent, createWallet } from '../../../sim/contracts/test-world.js'
import type { MarketEvent } from '../../../sim/universe/market.js'
import { createTestDatabase } from '../../../test/database.js'
import { createPool } from '../../store/connection.js'
import { attributeBatch } from '../attribute/attribute-batch.js'
import { BLOCK, toChainLogs } from '../attribute/test-chain-logs.js'
import { HistoryWriter } from '../backfill/read-hole.js'
import type { Batch } from '../read/batch.js'
import { BlockWriter } from '../write/block-writer.js'

const FEE_BIPS = 333
const AMOUNT = 406_594
/** Less 13,539.58, rounded down. */
const RECEIVED = 393_055n

const wallet = createWallet(1, 'safe')

const prepare = ({ negRisk }: MarketEvent): LogBody[] =>
  negRisk === undefined ? [] : marketPrepared(negRisk.marketId, negRisk.feeBips, negRisk.metadata)

/** Every set costs a dollar a share, half of it for NO. */
const splitAll = ({ markets }: MarketEvent): LogBody[] =>
  markets.flatMap((market) => encodeAct({ kind: 'split', era: 'v2', wallet, market, amount: AMOUNT }))

/** The wallet calls the neg-risk adapter itself, and gives NO of all questions. */
const convertDirectly = (event: MarketEvent): LogBody[] => {
  const indexSet = 2 ** event.markets.length - 1
  return encodeAct({ kind: 'convert', route: 'direct', wallet, event, indexSet, amount: AMOUNT })
}

const convertByAdapter = (event: MarketEvent, indexSet: number): LogBody[] =>
  encodeAct({ kind: 'convert', route: 'adapter', wallet, event, indexSet, amount: AMOUNT })

const hashOf = (block: number): string => `0x${block.toString(16).padStart(64, '0')}`

/** Blocks of one transaction each, the first one `BLOCK`. */
const toBatch = (number: number, bodies: readonly LogBody[], isNearHead: boolean): Batch => {
  const block = { blockNumber: number, blockHash: hashOf(number), txHash: hashOf(number) }
  const logs = toChainLogs(bodies).map((log) => ({ ...log, at: { ...log.at, ...block } }))
  const [hash, parentHash] = [hashOf(number), hashOf(number - 1)]
  const blocks = [{ number, hash, parentHash, timeSec: 1_790_000_000 + number - BLOCK }]
  return { fromBlock: number, toBlock: number, logs, blocks, isNearHead }
}

async function openWriter() {
  const database = await createTestDatabase()
  const pool = createPool(database.target, 2)
  onTestFinished(async () => {
    await pool.end({ timeout: 1 })
    await database.drop()
  })
  const readConversion = async () => {
    const [row] = await database.sql`select received, cash from conversions`
    return row
  }
  const readRealized = async () => {
    const [row] = await database.sql<{ realized: bigint }[]>`
      select realized from wallet_totals where realized <> 0`
    return row?.realized ?? 0n
  }
  return { pool, writer: await BlockWriter.open({ pool }), readConversion, readRealized }
}

async function book(transactions: readonly (readonly LogBody[])[], isNearHead: boolean) {
  const { writer, readConversion, readRealized } = await openWriter()
  await writer.append(transactions.map((bodies, index) => toBatch(BLOCK + index, bodies, isNearHead)))
  return { conversion: await readConversion(), realized: await readRealized() }
}

describe('all NO tokens of a market with a fee, given to the neg-risk adapter itself', () => {
  const event = createEvent(2, FEE_BIPS)
  const booked = {
    conversion: { received: RECEIVED, cash: RECEIVED },
    realized: RECEIVED - BigInt(AMOUNT),
  }

  test.each([
    ['in the same batch', [[...prepare(event), ...splitAll(event), ...convertDirectly(event)]]],
    ['in an earlier batch', [prepare(event), splitAll(event), convertDirectly(event)]],
  ])('are paid less the fee: the market was prepared %s', async (_when, transactions) => {
    expect(await book(transactions, true)).toEqual(booked)
    expect(await book(transactions, false)).toEqual(booked)
  })

  test('are paid less the fee times the questions but one', async () => {
    const three = createEvent(3, FEE_BIPS)
    const cash = 2n * RECEIVED
    expect(await book([prepare(three), splitAll(three), convertDirectly(three)], true)).toEqual({
      conversion: { received: RECEIVED, cash },
      realized: cash - 3n * BigInt(AMOUNT / 2),
    })
  })

  test('count without a fee until the older block that states it is read', async () => {
    const { pool, writer, readConversion } = await openWriter()
    const whole = BigInt(AMOUNT)
    await writer.append([toBatch(BLOCK, [...splitAll(event), ...convertDirectly(event)], true)])
    expect(await readConversion()).toEqual({ received: whole, cash: whole })

    const history = await HistoryWriter.open(pool)
    const batch = toBatch(BLOCK - 1, prepare(event), false)
    await history.append({ batch, facts: attributeBatch(batch) })
    expect(await readConversion()).toEqual({ received: RECEIVED, cash: RECEIVED })
  })
})

describe('a conversion through the collateral adapter is paid less the fee that its logs show', () => {
  const event = createEvent(3, FEE_BIPS)

  test.each([
    ['of one question', 0b001, 0n],
    ['of two questions', 0b110, RECEIVED],
    ['of all questions', 0b111, 2n * RECEIVED],
  ])('%s', async (_which, indexSet, cash) => {
    const acts = [splitAll(event), convertByAdapter(event, indexSet)]
    const conversion = { received: RECEIVED, cash }
    expect(await book(acts, true)).toMatchObject({ conversion })
    expect(await book([prepare(event), ...acts], true)).toMatchObject({ conversion })
  })
})
