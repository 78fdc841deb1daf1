import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { counts } from '../../test/counts.js'
import { createTestDatabase } from '../../test/database.js'
import type { Sql } from '../store/connection.js'
import { type AuditPlan, audit, auditState, chooseChecks, TABLE_CHECKS } from './audit.js'
import type { Finding } from './finding.js'
import { EVERYTHING, readScope } from './scope.js'
import { bookHistory, type TestLedger } from './test-booked-history.js'

const OF_JOBS = [
  'event log',
  'leaderboards',
  'statistics',
  'builder boards',
  'combo boards',
  'copy-pnl scores',
]
const ALL: AuditPlan = { wallets: { kind: 'all' }, span: EVERYTHING }
/** Enough for what is true of the tables without any computing. */
const TABLES: AuditPlan = { wallets: { kind: 'sample', count: 0 }, span: EVERYTHING }
const TIMEOUT_MS = 60_000
/** Whether all checks look at each corruption, or the audit ends when those have failed that must. */
const RUNS_ALL_CHECKS = counts({ short: false, long: true })

let ledger: TestLedger
beforeAll(async () => {
  ledger = await bookHistory({ hours: 1, intensity: 0.6 })
}, TIMEOUT_MS)
afterAll(() => ledger.database.drop())

describe('a history that was booked', () => {
  test('is what its facts give, in every table', async () => {
    const findings = await audit(ledger.database.sql, ALL)
    expect(findings.flatMap(({ examples }) => examples)).toEqual([])
    expect(findings.map(({ check }) => check)).toEqual([
      'coverage',
      'block chain',
      'journal',
      'partitions',
      'nothing above the cursor',
      'blocks of facts',
      'sums of balances',
      'holdings',
      'collateral of claims',
      'results',
      'journal images',
      'matches',
      'fees',
      'transactions',
      'facts as written',
      'positions',
      'profit and loss',
      'wallet totals',
      'combo totals',
      'ids',
      'derived ids',
      'names',
      'supplies',
      ...OF_JOBS,
      'exchanges and zero address',
      'reserves',
      'last prices',
      'candles',
      'token totals',
      'builder totals',
      'builder days',
      'builder wallets',
    ])
    for (const { check, coverage } of findings) {
      // No combo is traded in so short a history, and no job has run; those of corruptions.test.ts have.
      if (check !== 'combo totals' && !OF_JOBS.includes(check)) expect(coverage).not.toMatch(/^0 |left out/)
    }
  })
})

test(
  'a ledger that begins in the middle of the history is what its facts give',
  async () => {
    const later = await bookHistory({ hours: 1, intensity: 0.6, skippedBlocks: 1_500 })
    onTestFinished(() => later.database.drop())
    const findings = await audit(later.database.sql, ALL)
    expect(findings.flatMap(({ examples }) => examples)).toEqual([])
  },
  TIMEOUT_MS,
)

test('a wallet with an entry that the ledger refused is left out', async () => {
  const rollback = new Error('rollback')
  const refused = ledger.database.sql.begin(async (tx) => {
    await tx`
      insert into quarantine (seq, reason, detail, contract, topics, data, tx_hash)
      select max(seq), 'out_of_range', 'column_full', '', '', '', ''
        from fills
       where builder is null`
    const findings = await auditState(tx, ALL)
    expect(findings.flatMap(({ examples }) => examples)).toEqual([])
    expect(findings.find(({ check }) => check === 'positions')?.coverage).toMatch(/, 1 left out$/)
    throw rollback
  })
  await expect(refused).rejects.toBe(rollback)
})

test('nothing is wrong where nothing is booked', async () => {
  const empty = await createTestDatabase()
  onTestFinished(() => empty.drop())
  expect(await audit(empty.sql, ALL)).toMatchObject([{ coverage: 'nothing is booked yet' }])
})

/** The position of a wallet that has won or lost. */
const POSITION = `(select wallet, token from positions
  where bought > 0 and realized <> 0 order by wallet, token limit 1)`
const EXCHANGE = '(select exchange from fills order by seq limit 1)'
const CURSOR = '(select block from chain_state)'

/** What is spoilt, how, the checks that must notice, and what they say. */
const CORRUPTIONS: [what: string, spoil: string, checks: string[], says: RegExp][] = [
  [
    'a balance is off by one',
    `update positions set balance = balance + 1 where (wallet, token) in ${POSITION}`,
    ['positions', 'sums of balances'],
    /^wallet 0x[0-9a-f]{40}, token \d{50,}: balance is stored as \d+, and the facts give \d+$/,
  ],
  [
    'a cost is off by one',
    `update positions set cost = cost - 1 where (wallet, token) in ${POSITION}`,
    ['positions'],
    /: cost is stored as/,
  ],
  [
    'a position is lost',
    `delete from positions where (wallet, token) =
      (select wallet, token from positions
        where balance = 0 and bought > 0 order by wallet, token limit 1)`,
    ['positions'],
    /is not stored/,
  ],
  [
    'a position is made up',
    `insert into positions select w.id, t.id, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0
       from wallets w, tokens t where w.id = (select max(wallet) from fills) and not exists
         (select from positions p where p.wallet = w.id and p.token = t.id) order by t.id limit 1`,
    ['positions'],
    /no fact accounts for it/,
  ],
  [
    'a step of profit is lost',
    'delete from pnl where seq = (select max(seq) from pnl)',
    ['profit and loss'],
    /is not stored/,
  ],
  [
    'a step of profit has another cause',
    'update pnl set cause = 9 where seq = (select max(seq) from pnl)',
    ['profit and loss'],
    /cause is stored as 9/,
  ],
  [
    'a win is not counted',
    'update wallet_totals set wins = wins - 1 where wallet = (select min(wallet) from wallet_totals where wins > 0)',
    ['wallet totals'],
    /wins is stored as/,
  ],
  [
    'a fill is lost',
    'delete from fills where seq = (select max(seq) from fills)',
    ['positions', 'wallet totals', 'exchanges and zero address'],
    /the facts give/,
  ],
  [
    'an exchange has a share too many',
    `update positions set balance = balance + 1
      where wallet = ${EXCHANGE} and token = (select min(token) from positions where wallet = ${EXCHANGE})`,
    ['exchanges and zero address', 'sums of balances'],
    /: balance is stored as 1, and the facts give 0/,
  ],
  [
    'the zero address owes a share too few',
    'update positions set balance = balance + 1 where wallet = 0 and token = (select min(token) from positions where wallet = 0)',
    ['exchanges and zero address', 'sums of balances'],
    /^wallet 0x0{40}, token/,
  ],
  [
    'a supply is off by one',
    'update supplies set minted = minted + 1 where token = (select min(token) from supplies)',
    ['supplies', 'sums of balances', 'collateral of claims'],
    /^token \d{50,}: minted is stored as/,
  ],
  [
    'a reserve is off by one before the result',
    'update reserves set paid_in = paid_in + 1 where condition = (select min(condition) from reserves where redeemed_legs = 0)',
    ['reserves', 'collateral of claims'],
    /of collateral for .* none redeemed/,
  ],
  [
    'a reserve is off by one after the result',
    'update reserves set paid_out = paid_out + 1 where condition = (select min(condition) from reserves join resolutions using (condition) where redeemed_legs > 0)',
    ['reserves', 'collateral of claims'],
    /redeemed at payouts of/,
  ],
  [
    'a result is the other way round',
    'update resolutions set payouts = array[payouts[2], payouts[1]] where condition = (select min(condition) from reserves join resolutions using (condition) where redeemed_legs > 0)',
    ['collateral of claims'],
    /redeemed at payouts of/,
  ],
  [
    'a last price is another one',
    'update last_prices set usd = usd + 1 where token = (select min(token) from last_prices)',
    ['last prices'],
    /usd is stored as/,
  ],
  [
    'a candle closes at another price',
    'update hour_candles set close = close + 1 where (token, hour) = (select token, hour from hour_candles limit 1)',
    ['candles'],
    /^token \d{50,}, hour \d+: close is stored as/,
  ],
  [
    'a day of a builder is lost',
    'delete from builder_days where (builder, day) = (select builder, day from builder_days limit 1)',
    ['builder days'],
    /is not stored/,
  ],
  [
    'a client of a builder paid another fee',
    'update builder_wallets set fees = fees + 1 where (builder, wallet) = (select builder, wallet from builder_wallets limit 1)',
    ['builder wallets'],
    /^builder 0x[0-9a-f]{64}, wallet 0x[0-9a-f]{40}: fees is stored as/,
  ],
  [
    'a block with facts is lost',
    'delete from blocks where number = (select max(seq >> 20) from fills)',
    ['blocks of facts'],
    /^block \d+: has fills and is not there$/,
  ],
  [
    'a recent block is lost',
    `delete from recent_blocks where number = ${CURSOR} - 3`,
    ['block chain'],
    /: is missing/,
  ],
  [
    'a parent is another one',
    `update recent_blocks set parent_hash = '\\x00' where number = ${CURSOR} - 3`,
    ['block chain'],
    /does not follow the one before it/,
  ],
  [
    'a block has two hashes',
    `insert into blocks select number, time, '\\x00' from recent_blocks where number = ${CURSOR} on conflict (number) do update set hash = '\\x00'`,
    ['block chain'],
    /has two hashes/,
  ],
  [
    'the cursor is another block than the last one',
    'update chain_state set block = block + 1',
    ['block chain', 'coverage'],
    /is the cursor/,
  ],
  [
    'the cursor has another hash',
    "update chain_state set block_hash = '\\x00'",
    ['block chain'],
    /is the cursor/,
  ],
  [
    'a fact is above the cursor',
    `insert into raw_logs values ((${CURSOR} + 1::bigint) << 20, 0, 'unknown', '{}', '', '')`,
    ['nothing above the cursor', 'blocks of facts'],
    /raw_logs has 1 row above cursor/,
  ],
  [
    'a name is above the cursor',
    `update wallets set since = (${CURSOR} + 1::bigint) << 20 where id = 30`,
    ['nothing above the cursor'],
    /wallets has 1 row above cursor/,
  ],
  [
    'coverage has a hole',
    'with cut as (update coverage set to_block = from_block + 99 returning from_block) insert into coverage select from_block + 110, block from cut, chain_state',
    ['coverage'],
    /^blocks \d+ to \d+ of the ledger were not read$/,
  ],
  [
    'coverage goes beyond the cursor',
    'update coverage set to_block = to_block + 1',
    ['coverage'],
    /counts as read, the cursor is/,
  ],
  [
    'the journal is too long',
    `insert into undo values (${CURSOR} - 256, 'positions', '{1,1}', null)`,
    ['journal'],
    /is in the journal/,
  ],
  ['a partition is gone', 'drop table fees_p328', ['partitions'], /_p\d+ is not there/],
]

const OF_TABLES = new Set([
  'coverage',
  'block chain',
  'journal',
  'partitions',
  'nothing above the cursor',
  'blocks of facts',
  'sums of balances',
  'collateral of claims',
])

describe('the audit notices that', () => {
  test.each(CORRUPTIONS)('%s', async (_what, spoil, checks, says) => {
    const rollback = new Error('rollback')
    const spoilt = ledger.database.sql.begin(async (tx) => {
      const { count } = await tx.unsafe(spoil)
      expect(count ?? 1).toBe(1)
      const plan = checks.every((check) => OF_TABLES.has(check)) ? TABLES : ALL
      const failed = RUNS_ALL_CHECKS
        ? (await auditState(tx, plan)).filter(hasFailed)
        : await runUntilFailed(tx, plan, checks)
      expect(failed.map(({ check }) => check)).toEqual(expect.arrayContaining(checks))
      expect(failed.flatMap(({ examples }) => examples)).toContainEqual(expect.stringMatching(says))
      throw rollback
    })
    await expect(spoilt).rejects.toBe(rollback)
  })
})

const hasFailed = ({ differences }: Finding): boolean => differences > 0

/** What fails of the checks of `auditState`, in its order, until these have failed. */
async function runUntilFailed(tx: Sql, plan: AuditPlan, checks: readonly string[]): Promise<Finding[]> {
  const scope = (await readScope(tx)) ?? expect.fail('nothing is booked')
  const failed: Finding[] = []
  for (const run of [...TABLE_CHECKS, ...chooseChecks(scope, plan)]) {
    failed.push(...[await run(tx, scope, plan)].flat().filter(hasFailed))
    if (checks.every((wanted) => failed.some(({ check }) => check === wanted))) break
  }
  return failed
}
