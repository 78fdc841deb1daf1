import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ensurePartitions } from '../chain/write/partitions.js'
import { seqOf } from '../core/seq.js'
import { checkCollateral } from './collateral-check.js'
import type { Finding } from './finding.js'
import { EVERYTHING, readScope } from './scope.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql.begin((tx) => ensurePartitions(tx, 1, 1_000, { bare: false }))
  await database.sql`
    update chain_state
       set ledger_from = 1, block = 1000, block_hash = '\\x01', block_time = 2000`
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.sql`
    truncate tokens, conditions, supplies, reserves, resolutions, combos, migrations, transfers`
})

const word = (start: string) => Buffer.from(start.padEnd(64, '0'), 'hex')
const SEQ = seqOf(500, 0)

type Claims = {
  id?: number
  /** Hex digits that the token ids begin with. */
  token?: string
  shares: [first: number, second: number]
  paid: [paidIn: number, paidOut: number]
  legs?: number
  payouts?: number[]
}

async function insert({ id = 1, token = 'aa', shares, paid, legs = 0, payouts }: Claims) {
  const { sql } = database
  const name = `${token}${String(id).padStart(4, '0')}`
  await sql`insert into conditions values (${id}, ${word(name)}, ${SEQ})`
  for (const [outcome, amount] of shares.entries()) {
    const tokenId = id * 10 + outcome
    const text = Buffer.from(name.padEnd(62, '0') + (outcome === 0 ? '00' : '01'), 'hex')
    await sql`
      insert into tokens (id, condition, outcome, since, token)
      values (${tokenId}, ${id}, ${outcome}, ${SEQ}, ${text})`
    await sql`insert into supplies values (${tokenId}, ${amount}, 0)`
  }
  await sql`insert into reserves values (${id}, ${legs}, ${paid[0]}, ${paid[1]})`
  if (payouts === undefined) return
  await sql`insert into resolutions values (${SEQ + id}, ${id}, ${payouts}::numeric[], '\\x01')`
}

async function check(): Promise<Finding> {
  const scope = await readScope(database.sql)
  if (scope === undefined) throw new Error('nothing is booked')
  return checkCollateral(database.sql, scope, EVERYTHING.conditions)
}

describe('the collateral of a condition', () => {
  test.each<[why: string, differences: number, claims: Claims]>([
    ['is both supplies', 0, { shares: [7, 7], paid: [9, 2] }],
    ['is short of one of them', 1, { shares: [7, 8], paid: [9, 2] }],
    ['is both supplies after the result as well', 0, { shares: [7, 7], paid: [7, 0], payouts: [1, 0] }],
    ['pays the winners', 0, { shares: [3, 7], paid: [7, 4], legs: 1, payouts: [1, 0] }],
    ['pays the winners too much', 1, { shares: [3, 7], paid: [7, 5], legs: 1, payouts: [1, 0] }],
    ['keeps nothing where one wins', 1, { shares: [3, 7], paid: [7, 3], legs: 1, payouts: [1, 0] }],
    ['pays the losers nothing', 0, { shares: [7, 0], paid: [7, 0], legs: 1, payouts: [5, 0] }],
    [
      'keeps what the rounding of a leg leaves',
      0,
      { shares: [4, 7], paid: [7, 1], legs: 1, payouts: [1, 1] },
    ],
    ['keeps less than a unit for each leg', 1, { shares: [4, 7], paid: [7, 0], legs: 1, payouts: [1, 1] }],
    [
      'keeps what the rounding of two legs leaves',
      0,
      { shares: [6, 6], paid: [7, 0], legs: 2, payouts: [1, 1] },
    ],
    ['never owes a rounding', 1, { shares: [4, 7], paid: [7, 2], legs: 1, payouts: [1, 1] }],
  ])('%s', async (_why, differences, claims) => {
    await insert(claims)
    expect(await check()).toMatchObject({ coverage: '1 condition', differences })
  })

  test('is not that of shares that were migrated', async () => {
    await insert({ token: '01', shares: [9, 7], paid: [7, 0] })
    await database.sql`insert into migrations values (${SEQ}, 2, 1, 99, 10, '\\x01')`
    await database.sql`insert into transfers values (${SEQ}, 2, 0, 1, 10, 0, true, true, '\\x01')`
    expect(await check()).toMatchObject({ coverage: '1 condition', differences: 0 })
  })
})

describe('left out is a condition', () => {
  test('whose result is not known, once a share was redeemed', async () => {
    await insert({ shares: [3, 7], paid: [7, 4], legs: 1 })
    expect(await check()).toMatchObject({ coverage: '0 conditions, 1 left out', differences: 0 })
  })

  test('with tokens of a second collateral', async () => {
    await insert({ shares: [7, 7], paid: [9, 0] })
    await database.sql`
      insert into tokens (id, condition, outcome, since, token)
      values (99, 1, null, ${SEQ}, '\\x99')`
    expect(await check()).toMatchObject({ coverage: '0 conditions, 1 left out', differences: 0 })
  })

  test('with three outcomes', async () => {
    await insert({ shares: [7, 7], paid: [9, 0] })
    await database.sql`
      insert into tokens (id, condition, outcome, since, token)
      values (99, 1, 2, ${SEQ}, '\\x99')`
    expect(await check()).toMatchObject({ coverage: '0 conditions, 1 left out', differences: 0 })
  })

  test('whose structured shares came from elsewhere, and no other', async () => {
    await insert({ token: '02', shares: [9, 7], paid: [7, 0] })
    await insert({ id: 2, shares: [9, 7], paid: [7, 0] })
    for (const token of [10, 20]) {
      await database.sql`
        insert into transfers values (${SEQ + token}, 2, 0, 1, ${token}, 0, true, true, '\\x01')`
    }
    expect(await check()).toMatchObject({ coverage: '1 condition, 1 left out', differences: 1 })
  })
})

describe('a combo that was redeemed', () => {
  /** Legs are shares of the conditions 11 to 13; the last digit is the outcome. */
  async function combo(results: (number[] | undefined)[], outcomes: number[], claims: Claims) {
    await insert({ token: '03', legs: 1, ...claims })
    const legs = results.map((payouts, index) => ({ id: 11 + index, payouts }))
    for (const { id, payouts } of legs) {
      const empty = { id, token: '01', shares: [0, 0] as [number, number] }
      await insert({ ...empty, paid: [0, 0], ...(payouts !== undefined && { payouts }) })
    }
    const words = legs.map(
      ({ id }, index) => `${`01${id.toString().padStart(4, '0')}`.padEnd(62, '0')}0${outcomes[index]}`,
    )
    await database.sql`
      insert into combos values (${SEQ}, 1, ${Buffer.from(words.join(''), 'hex')}, '\\x01')`
  }
  const [YES, NO, DRAW] = [
    [1_000_000, 0],
    [0, 1_000_000],
    [500_000, 500_000],
  ]

  test.each<[string, number, (number[] | undefined)[], number[], Claims]>([
    ['pays YES when all legs won', 0, [YES, NO], [0, 1], { shares: [3, 7], paid: [7, 4] }],
    ['pays NO when a leg lost', 0, [YES, YES], [0, 1], { shares: [7, 3], paid: [7, 4] }],
    [
      'pays NO when a leg lost before the others',
      0,
      [undefined, NO],
      [0, 0],
      { shares: [7, 3], paid: [7, 4] },
    ],
    ['does not pay YES when a leg lost', 1, [YES, YES], [0, 1], { shares: [3, 7], paid: [7, 4] }],
    ['pays the product of its legs', 0, [DRAW, DRAW], [0, 1], { shares: [3, 7], paid: [7, 1] }],
  ])('%s', async (_what, differences, results, outcomes, claims) => {
    await combo(results, outcomes, claims)
    expect(await check()).toMatchObject({ coverage: `${1 + results.length} conditions`, differences })
  })

  test('is left out while a leg is open', async () => {
    await combo([undefined, YES], [0, 0], { shares: [3, 7], paid: [7, 4] })
    expect(await check()).toMatchObject({ coverage: '2 conditions, 1 left out', differences: 0 })
  })
})
