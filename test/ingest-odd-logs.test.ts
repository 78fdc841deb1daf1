import { Registry } from 'prom-client'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ADDRESS } from '../sim/contracts/addresses.js'
import { encodeAct } from '../sim/contracts/encode.js'
import type { LogBody } from '../sim/contracts/log.js'
import { oneOfEach } from '../sim/contracts/test-acts.js'
import { createWallet } from '../sim/contracts/test-world.js'
import { ZERO_ADDRESS } from '../src/chain/attribute/roles.js'
import { toChainLogs } from '../src/chain/attribute/test-chain-logs.js'
import { encodeLog, transferBatch, transferSingle } from '../src/chain/attribute/test-encode-log.js'
import { ChainWatch } from '../src/chain/watch/chain-watch.js'
import { BlockWriter } from '../src/chain/write/block-writer.js'
import { AMOUNT_MAX } from '../src/core/money.js'
import { keccak256 } from '../src/lib/keccak.js'
import { createPool } from '../src/store/connection.js'
import { ZERO_WORD } from '../src/upstreams/polygon/abi.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { auditAll } from './ingest.js'

const HUGE = 2n ** 256n - 1n
const OUTCOMES_MAX = 256
const { ctf, usdce } = ADDRESS
const { address: user } = createWallet(1, 'safe')
const { address: friend } = createWallet(2, 'safe')
const [oracle, question] = [`0x${'0a'.repeat(20)}`, `0x${'0b'.repeat(32)}`]
/** Of 256 outcomes. */
const condition = keccak256(`${oracle}${question.slice(2)}${'100'.padStart(64, '0')}`)

let database: TestDatabase
let line: BlockWriter
let watch: ChainWatch
beforeEach(async () => {
  database = await createTestDatabase()
  const pool = createPool(database.target, 2)
  onTestFinished(async () => {
    await pool.end({ timeout: 1 })
    await database.drop()
  })
  watch = new ChainWatch(new Registry())
  line = await BlockWriter.open({ pool, listeners: [watch] })
})

const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}`

/** Books the transactions as one block after the last one. What is wrong then is the ledger's own. */
async function book(...transactions: (readonly LogBody[])[]): Promise<void> {
  const logs = toChainLogs(...transactions)
  const { blockNumber: first = 0, timestampSec: timeSec = 0 } = logs[0]?.at ?? {}
  const number = (line.cursor?.block ?? first - 1) + 1
  const hash = hashOf(number)
  for (const { at } of logs) {
    const txHash = hashOf(number * 1_000 + at.txIndex)
    Object.assign(at, { blockNumber: number, blockHash: hash, txHash })
  }
  const blocks = [{ number, hash, parentHash: hashOf(number - 1), timeSec }]
  await line.append([{ fromBlock: number, toBlock: number, logs, blocks, isNearHead: true }])
  expect(await auditAll(database)).toEqual([])
}

const mint = (id: bigint, amount: bigint) => transferSingle(ctf, user, ZERO_ADDRESS, user, id, amount)
const gift = (id: bigint, amount: bigint) => transferSingle(ctf, user, user, friend, id, amount)

async function expectQuarantined(...reasons: string[]): Promise<void> {
  const rows = await database.sql<{ reason: string }[]>`
    select reason from quarantine order by seq, reason`
  expect(rows.map(({ reason }) => reason)).toEqual(reasons)
  expect(watch.quarantined).toBe(reasons.length)
}

const balances = async () =>
  (
    await database.sql<{ balance: bigint }[]>`
      select balance from positions where wallet <> 0 order by wallet, token`
  ).map(({ balance }) => balance)

describe('amounts', () => {
  test('of 2^256 - 1 are put aside, and what stands beside them is booked', async () => {
    await book([mint(1n, 5n)], [gift(1n, HUGE)], [gift(1n, 2n)])
    expect(await balances()).toEqual([3n, 2n])
    await expectQuarantined('absurd_amount')
  })

  test('that add up to more than a column holds are booked as far as they fit', async () => {
    for (let count = 0; count < 2; count++) {
      await book(...Array.from({ length: 80 }, () => [mint(1n, AMOUNT_MAX)]))
    }
    const [{ count } = { count: 0n }] = await database.sql<{ count: bigint }[]>`
      select count(*) from quarantine`
    expect(count).toBeGreaterThan(0n)
    expect(watch.quarantined).toBe(Number(count))
    const [balance = 0n] = await balances()
    expect(balance).toBeGreaterThan(2n ** 59n)
    expect(balance).toBeLessThan(2n ** 61n)
  })

  test('of a whole match that are absurd take nothing else with them', async () => {
    const match = logsOf('v2 BUY set fee 4321')
    await book(match.map((log) => ({ ...log, data: log.data.replaceAll(/(?<=^0x.*)./g, 'f') })))
    expect(await balances()).toEqual([])
    expect(watch.quarantined).toBeGreaterThan(0)
    await book(match)
    expect((await database.sql`select from fills`).length).toBeGreaterThan(0)
  })
})

const logsOf = (name: string): LogBody[] => {
  const found = oneOfEach().find((each) => each.name === name)
  if (found === undefined) throw new Error(`no act is called ${name}`)
  return encodeAct(found.act)
}

test('unknown tokens are booked without a condition', async () => {
  await book([mint(7n, 5n), gift(7n, 1n)])
  expect(await balances()).toEqual([4n, 1n])
  expect(await database.sql`select condition, outcome from tokens`).toEqual([
    { condition: null, outcome: null },
  ])
  await expectQuarantined()
})

describe('a condition', () => {
  const prepare = (outcomeSlotCount: bigint) =>
    encodeLog(
      ctf,
      'ConditionPreparation(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount)',
      { conditionId: condition, oracle, questionId: question, outcomeSlotCount },
    )
  const resolve = (payoutNumerators: readonly bigint[]) =>
    encodeLog(
      ctf,
      'ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount, uint256[] payoutNumerators)',
      {
        conditionId: condition,
        oracle,
        questionId: question,
        payoutNumerators,
        outcomeSlotCount: BigInt(payoutNumerators.length),
      },
    )

  test(`with ${OUTCOMES_MAX} outcomes is booked from its preparation to its redemption`, async () => {
    const ids = Array.from({ length: OUTCOMES_MAX }, (_, outcome) => BigInt(1_000 + outcome))
    const partition = ids.map((_, outcome) => 1n << BigInt(outcome))
    const amount = 10n
    const amounts = ids.map(() => amount)
    await book([prepare(BigInt(OUTCOMES_MAX))])
    await book([
      transferBatch(ctf, user, ZERO_ADDRESS, user, ids, amounts),
      encodeLog(
        ctf,
        'PositionSplit(address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId, uint256[] partition, uint256 amount)',
        {
          stakeholder: user,
          collateralToken: usdce,
          parentCollectionId: ZERO_WORD,
          conditionId: condition,
          partition,
          amount,
        },
      ),
    ])
    const [tokens] = await database.sql`
      select count(*)::integer, min(outcome), max(outcome), count(distinct condition)::integer as conditions
        from tokens`
    expect(tokens).toEqual({ count: OUTCOMES_MAX, min: 0, max: OUTCOMES_MAX - 1, conditions: 1 })
    await book([resolve(ids.map((_, outcome) => BigInt(outcome % 2)))])
    await book([
      ...ids.map((id) => transferSingle(ctf, user, user, ZERO_ADDRESS, id, amount)),
      encodeLog(
        ctf,
        'PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)',
        {
          redeemer: user,
          collateralToken: usdce,
          parentCollectionId: ZERO_WORD,
          conditionId: condition,
          indexSets: partition,
          payout: amount,
        },
      ),
    ])
    expect(new Set(await balances())).toEqual(new Set([0n]))
    await expectQuarantined()
  })

  test('with more outcomes than there can be, or absurd payouts, is put aside', async () => {
    await book([prepare(BigInt(OUTCOMES_MAX + 1))], [prepare(HUGE)], [resolve([0n, HUGE])])
    await expectQuarantined('absurd_amount', 'absurd_amount', 'absurd_amount')
    expect(await database.sql`select from preparations`).toHaveLength(0)
    expect(await database.sql`select from resolutions`).toHaveLength(0)
  })
})

test.each([
  ['cut off', '0x00'],
  ['not hex', '0xzz'],
  ['empty', ''],
])('data that is %s is put aside', async (_what, data) => {
  await book([{ ...gift(1n, 1n), data }], [mint(1n, 5n)])
  expect(await balances()).toEqual([5n])
  await expectQuarantined('undecodable')
})
