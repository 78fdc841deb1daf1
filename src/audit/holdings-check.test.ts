import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { seqOf } from '../core/seq.js'
import type { Finding } from './finding.js'
import { checkHoldings } from './holdings-check.js'
import { EVERYTHING, readScope } from './scope.js'

const LEDGER_FROM = 100
const BEFORE = seqOf(LEDGER_FROM - 1, 0)
const SINCE = seqOf(LEDGER_FROM, 0)
const WALLET = 7
const CONDITION = 3
const TOKEN = 30
const NAME = 'ab'.repeat(32)

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  const { sql } = database
  await sql`
    update chain_state
       set ledger_from = ${LEDGER_FROM}, block = 1000, block_hash = '\\x01', block_time = 2000`
  await sql`
    insert into tokens (id, condition, outcome, since, token)
    values (${TOKEN}, ${CONDITION}, 0, ${SINCE}, ${Buffer.from(NAME, 'hex')})`
  await sql`insert into wallets (id, since, address) values (${WALLET}, ${SINCE}, '\\x07')`
})
afterAll(() => database.drop())
beforeEach(() => database.sql`truncate positions, preparations, combos, quarantine`)

const prepare = (seq: number) => database.sql`
  insert into preparations (seq, condition, oracle, outcomes, question, tx_hash)
  values (${seq}, ${CONDITION}, 1, 2, '\\x01', '\\x01')`

const hold = (balance: number, held: number, cost: number, wallet = WALLET) => database.sql`
  insert into positions
    (wallet, token, first_sec, last_sec, filled_sec, is_combo, balance, held, cost, realized,
     bought, bought_cost, fees)
  values (${wallet}, ${TOKEN}, 1, 1, 1, 0, ${balance}, ${held}, ${cost}, 0, ${held}, ${cost}, 0)`

const quarantine = (reason: string, data: string) => database.sql`
  insert into quarantine (seq, reason, detail, contract, topics, data, tx_hash)
  values (${SINCE}, ${reason}, '', '\\x01', '', ${data}, '\\x01')`

async function check(): Promise<Finding> {
  const scope = await readScope(database.sql)
  if (scope === undefined) throw new Error('nothing is booked')
  return checkHoldings(database.sql, scope, EVERYTHING.tokens)
}

describe('of a token whose whole history is booked', () => {
  test.each<[what: string, differences: number, balance: number, held: number, cost: number]>([
    ['all shares may bear a cost', 0, 9, 9, 5],
    ['some may, and the cost may be negative', 0, 9, 4, -5],
    ['none may', 0, 9, 0, 0],
    ['not more than there are', 1, 9, 10, 5],
    ['not less than none', 1, 9, -1, 0],
    ['nothing costs nothing', 1, 9, 0, 5],
    ['no balance is negative', 1, -1, 0, 0],
  ])('%s', async (_what, differences, balance, held, cost) => {
    await prepare(SINCE)
    await hold(balance, held, cost)
    expect(await check()).toMatchObject({ coverage: '1 position', differences })
  })

  test('the difference names wallet and numbers; what the zero address owes is none', async () => {
    await prepare(SINCE)
    await hold(9, 10, 5)
    await hold(-9, 0, 0, 0)
    expect(await check()).toMatchObject({
      differences: 1,
      examples: [expect.stringMatching(/^wallet 0x07, token \d+: 10 of 9 shares bear a cost of 5$/)],
    })
  })

  test('a combo is prepared by an event of its own', async () => {
    await database.sql`
      insert into combos (seq, condition, legs, tx_hash) values (${SINCE}, ${CONDITION}, '', '\\x01')`
    await hold(9, 10, 5)
    expect(await check()).toMatchObject({ differences: 1 })
  })
})

describe('left out', () => {
  const leftOut = { coverage: '0 positions, 1 left out', differences: 0 }

  test('is a token that may be older than the ledger', async () => {
    await hold(-3, 10, 5)
    expect(await check()).toMatchObject(leftOut)
    await prepare(BEFORE)
    expect(await check()).toMatchObject(leftOut)
  })

  test('is a token of a log in quarantine, and no other', async () => {
    await prepare(SINCE)
    await hold(9, 10, 5)
    await quarantine('inconsistent', `0x${'cd'.repeat(32)}`)
    expect(await check()).toMatchObject({ differences: 1 })
    await quarantine('absurd_amount', `0x${NAME}${'ff'.repeat(32)}`)
    expect(await check()).toMatchObject(leftOut)
  })

  test('but not what is wrong with any history', async () => {
    await hold(9, -1, 0)
    expect(await check()).toMatchObject({ coverage: '1 position', differences: 1 })
  })
})
