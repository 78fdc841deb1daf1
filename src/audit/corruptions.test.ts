import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { counts } from '../../test/counts.js'
import { FACT_TABLES } from '../chain/facts/registry.js'
import { byIdTable, ID_TABLES, insertIds, NAME_COLUMNS } from '../chain/ids/queries.js'
import { LEDGER_TABLE_NAMES } from '../ledger/rows/tables.js'
import type { Sql } from '../store/connection.js'
import { compareBlocks, isDifferent } from './against-node.js'
import { type AuditCheck, type AuditPlan, auditState, chooseChecks, TABLE_CHECKS } from './audit.js'
import { checkBoards } from './board-checks.js'
import type { Finding } from './finding.js'
import { EVERYTHING, readScope, type Scope } from './scope.js'
import { checkBuilderBoard, checkComboBoards, checkCopyScores, checkStats } from './snapshot-checks.js'
import { bookEveryFact } from './test-every-fact.js'
import { makeSnapshots } from './test-snapshots.js'
import { checkDigests, checkEventLog, checkNames } from './written-checks.js'

const ALL: AuditPlan = { wallets: { kind: 'all' }, span: EVERYTHING }
const TIMEOUT_MS = 180_000

/** Whether each corruption is tried both ways, or only in the way that must find it. */
const BOTH = counts({ short: false, long: true })

/** What can be compared with the node. */
const NODE_TABLES: readonly string[] = [...FACT_TABLES.map(({ table }) => table), ...ID_TABLES]

/** What follows from those, and how far the chain is booked. */
const OWN_TABLES: readonly string[] = [
  ...LEDGER_TABLE_NAMES,
  'pnl',
  'undo',
  'undo_floor',
  'recent_blocks',
  'coverage',
  'chain_state',
  'partitions',
]

type Check = (tx: Sql, scope: Scope) => Promise<Finding>

/** What jobs make of those, each with the check that must find that it was changed. */
const JOB_TABLES: Readonly<Record<string, Check>> = {
  fact_digests: (tx, scope) => checkDigests(tx, scope, EVERYTHING.blocks),
  event_log: checkEventLog,
  event_log_end: checkEventLog,
  all_time_boards: checkBoards,
  board_positions: checkBoards,
  rolling_boards: checkBoards,
  rolling_scopes: checkBoards,
  market_stats: checkStats,
  event_stats: checkStats,
  builder_board: checkBuilderBoard,
  combo_ranks: checkComboBoards,
  combo_pnl: checkComboBoards,
  combo_markets: checkComboBoards,
  copy_scores: checkCopyScores,
}

/** What no other row contradicts: the digest of its block or the checksum of its id shows it, and the node. */
const WRITTEN_ALONE = new Set([
  'fills.order_hash',
  'splits.seq',
  'splits.tx_hash',
  'redemptions.flags',
  'conversions.market',
  'conversions.index_set',
  'transfers.sub',
  'transfers.is_internal',
  'transfers.bears_cost',
  'transfers.tx_hash',
  'fees.seq',
  'fees.wallet',
  'flows.amount',
  'flows.from_wallet',
  'flows.to_wallet',
  'flows.asset',
  'flows.kind',
  'flows.tx_hash',
  'flows doubled',
  'oracle_events.kind',
  'oracle_events.contract',
  'oracle_events.question',
  'oracle_events.request_time',
  'oracle_events.actor',
  'oracle_events.proposer',
  'oracle_events.price',
  'oracle_events.expiration',
  'oracle_events deleted',
  'neg_risk_markets.fee_bips',
  'neg_risk_markets.market',
  'neg_risk_questions deleted',
  'combos.legs',
  'combos.tx_hash',
  'combo_events.amount',
  'combo_events.wallet',
  'combo_events.kind',
  'combo_events.tokens',
  'combo_events.tx_hash',
  'combo_events deleted',
  'wallet_owners doubled',
  'raw_logs.contract',
  'raw_logs.kind',
  'raw_logs.topics',
  'raw_logs.data',
  'raw_logs deleted',
  'quarantine.seq',
  'quarantine.reason',
  'quarantine.detail',
  'quarantine.contract',
  'quarantine.topics',
  'quarantine.data',
  'quarantine.tx_hash',
  'quarantine deleted',
  'quarantine doubled',
  'wallets.address',
  'builders.code',
])

/** What says nothing of the chain. */
const NOTED = new Set(ID_TABLES.map((table) => `${table}.checksum`))

/** What is compared with the node alone. */
const NODE_ALONE = new Set(['tokens.stated_in'])

/** What nothing finds: how often the ledger was rebuilt, and that events were deleted too early. */
const UNPROVEN = new Set(['chain_state.epoch', 'event_log_end.deleted_seq'])

/** What the database refuses itself. */
const REFUSED = new Set(['copy_scores.wallet'])

let ledger: Awaited<ReturnType<typeof bookEveryFact>>
beforeAll(async () => {
  ledger = await bookEveryFact()
  await makeSnapshots(ledger.database)
}, TIMEOUT_MS)
afterAll(() => ledger.database.drop())

test('a history with every kind of fact is clean', async () => {
  const { sql } = ledger.database
  for (const table of [...NODE_TABLES, ...OWN_TABLES, ...Object.keys(JOB_TABLES)]) {
    const [row] = await sql`select count(*)::integer as rows from ${sql(table)}`
    expect([table, row?.rows > 0]).toEqual([table, true])
  }
  await sql.begin(async (tx) => {
    const findings = await auditState(tx, ALL)
    expect(findings.flatMap(({ examples }) => examples)).toEqual([])
    expect(await isFoundAtNode(tx)).toBe(false)
  })
})

describe('a value that is changed, a row that is deleted and a row that is doubled', () => {
  test.each(NODE_TABLES)(
    "%s: other rows show most of them, the writer's notes the others, and the node each",
    async (table) => {
      for (const corruption of await corruptionsOf(table)) {
        const { name } = corruption
        const isNodeAlone = NODE_ALONE.has(name)
        const isContradicted = !isNodeAlone && !WRITTEN_ALONE.has(name) && !NOTED.has(name)
        const expected = {
          'by other rows': isContradicted,
          'as written': !isNodeAlone,
          'by the node': !NOTED.has(name),
        }
        for (const how of BOTH ? HOWS : isContradicted ? HOWS.slice(0, 1) : HOWS.slice(1)) {
          // A row that other rows contradict need not be one of those that writers note.
          if (how === 'as written' && isContradicted) continue
          expect([name, how, await isFound(corruption, how)]).toEqual([name, how, expected[how]])
        }
      }
    },
    TIMEOUT_MS,
  )

  test.each(OWN_TABLES)(
    '%s: the audit alone shows each of them',
    async (table) => {
      for (const corruption of await corruptionsOf(table)) {
        const { name } = corruption
        if (UNPROVEN.has(name)) continue
        expect([name, await isFound(corruption, 'by other rows')]).toEqual([name, true])
      }
    },
    TIMEOUT_MS,
  )

  test.each(Object.entries(JOB_TABLES))('%s: its check shows each of them', async (table, check) => {
    for (const corruption of await corruptionsOf(table)) {
      const { name } = corruption
      if (UNPROVEN.has(name) || REFUSED.has(name)) continue
      expect([name, await isFound(corruption, check)]).toEqual([name, true])
    }
  })
})

test.each(ID_TABLES)('%s: two names that are exchanged are both found', async (table) => {
  const name = NAME_COLUMNS[table]
  const exchange = `
    with two as (select id, ${name} as name, row_number() over (order by id) as number
                   from ${table} where id > 0 order by id limit 2),
    free as (update ${table} set ${name} = int4send(id) where id in (select id from two))
    select id, name from two order by number`
  const spoilt = ledger.database.sql.begin(async (tx) => {
    // The history has one builder.
    const other = { id: 7_777, name: `0x${'7e'.repeat(32)}`, since: 0 }
    await insertIds(tx, { ...byIdTable(() => []), builders: [other] }, [])
    const [a, b] = await tx.unsafe<{ id: number; name: Buffer }[]>(exchange)
    for (const [to, from] of [
      [a, b],
      [b, a],
    ]) {
      await tx`update ${tx(table)} set ${tx(name)} = ${from?.name ?? ''} where id = ${to?.id ?? 0}`
    }
    expect(await checkNames(tx)).toMatchObject({ differences: 2 })
    throw ROLLBACK
  })
  await expect(spoilt).rejects.toBe(ROLLBACK)
})

test.each([
  ['the oldest', 'last_seq <= 15'],
  ['the newest', 'last_seq >= 35'],
  ['all', 'true'],
])('%s events that are deleted by hand are found', async (_which, where) => {
  const spoilt = ledger.database.sql.begin(async (tx) => {
    await tx.unsafe(`delete from event_log where ${where}`)
    expect(await checkEventLog(tx)).toMatchObject({ differences: 1 })
    throw ROLLBACK
  })
  await expect(spoilt).rejects.toBe(ROLLBACK)
})

type Corruption = {
  name: string
  statement: string
  /** The checks that found another corruption of the same table. */
  finders: Set<AuditCheck>
}
type Column = { name: string; type: string; isKey: boolean }

/** Of each column one value, in the middle row that has one; and the middle row. */
async function corruptionsOf(table: string): Promise<Corruption[]> {
  const columns = await ledger.database.sql<Column[]>`
    select attname as name, format_type(atttypid, null) as type,
           coalesce(attnum = any(indkey::smallint[]), false) as is_key
      from pg_attribute
      left join pg_index on indrelid = attrelid and indisprimary
     where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
     order by attnum`
  const finders = new Set<AuditCheck>()
  const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => `"${name}"`)
  const key = keys.join(', ')
  const middle = (which: string) => `(${key}) = (
    select ${key} from ${table} where ${which} order by ${key}
    offset (select count(*) / 2 from ${table} where ${which}) limit 1)`
  const changes = columns.map(({ name, ...column }) => ({
    finders,
    name: `${table}.${name}`,
    statement: `update ${table} set "${name}" = ${changed(table, { name, ...column })}
                 where ${middle(`"${name}" is not null`)}`,
  }))
  const copied = columns.map(({ name }) => (name === 'seq' ? SHIFTED : `"${name}"`))
  const double = {
    finders,
    name: `${table} doubled`,
    statement: `insert into ${table} select ${copied.join()} from ${table} where ${middle('true')}`,
  }
  return [
    ...changes.filter(({ name }) => !ALWAYS_NULL.has(name) && !name.endsWith('only_row')),
    { finders, name: `${table} deleted`, statement: `delete from ${table} where ${middle('true')}` },
    ...(keys.includes('"seq"') ? [double] : []),
  ]
}

/** No log of the history has such an index. */
const SHIFTED = 'seq + 7777'

/** No row of the history has a value. */
const ALWAYS_NULL = new Set([
  'fills.metadata',
  'splits.tokens',
  'combo_events.payout',
  'chain_state.kept_from',
])

/** Another value of the type, which no other row has if it is a part of the key. */
function changed(table: string, { name, type, isKey }: Column): string {
  const column = `"${name}"`
  switch (type) {
    case 'bytea':
      return `case when length(${column}) = 0 then '\\x01'
                   else set_byte(${column}, length(${column}) - 1, get_byte(${column}, length(${column}) - 1) # 1) end`
    case 'text':
      return `${column} || 'x'`
    case 'timestamp with time zone':
      return `${column} + interval '1 second'`
    case 'boolean':
      return `not ${column}`
    case 'bytea[]':
      return `array_append(${column}, '\\x01'::bytea)`
    case 'integer[]':
    case 'bigint[]':
    case 'numeric[]':
      return `case when cardinality(${column}) = 0 then array[1]
                   else array_append(${column}[:cardinality(${column}) - 1], ${column}[cardinality(${column})] + ${isKey ? 7777 : 1}) end`
    default:
      if (name === 'seq') return SHIFTED
      return isKey ? `(select max(${column}) + 1 from ${table})` : `${column} + 1`
  }
}

const ROLLBACK = new Error('rollback')

const HOWS = ['by other rows', 'as written', 'by the node'] as const
type How = (typeof HOWS)[number]

async function isFound({ name, statement, finders }: Corruption, how: How | Check): Promise<boolean> {
  let found = false
  const spoilt = ledger.database.sql.begin(async (tx) => {
    const { count } = await tx.unsafe(statement)
    expect([name, count]).toEqual([name, 1])
    found = await isFoundIn(tx, how, finders)
    throw ROLLBACK
  })
  await expect(spoilt).rejects.toBe(ROLLBACK)
  return found
}

async function isFoundIn(tx: Sql, how: How | Check, finders: Set<AuditCheck>): Promise<boolean> {
  if (how === 'by other rows') return isContradictedIn(tx, finders)
  if (how === 'by the node') return isFoundAtNode(tx)
  const scope = await readScope(tx)
  if (scope === undefined) throw new Error('nothing is booked')
  const findings =
    how === 'as written'
      ? [await checkDigests(tx, scope, EVERYTHING.blocks), await checkNames(tx)]
      : [await how(tx, scope)]
  return findings.some(({ differences }) => differences > 0)
}

/**
 * Whether `auditState` would find it. A check that found another corruption of the table most often finds this one
 * too: such checks come first, and the first that finds it ends the search.
 */
async function isContradictedIn(tx: Sql, finders: Set<AuditCheck>): Promise<boolean> {
  const finds = async (check: AuditCheck, scope: Scope) => {
    const findings = [await check(tx, scope, ALL)].flat()
    return findings.some(({ check: name, differences }) => differences > 0 && !NOTES.has(name))
  }
  try {
    const scope = await readScope(tx)
    if (scope === undefined) return false
    const checks = [...TABLE_CHECKS, ...chooseChecks(scope, ALL)]
    for (const check of new Set([...checks.filter((each) => finders.has(each)), ...checks])) {
      if (!(await finds(check, scope))) continue
      finders.add(check)
      return true
    }
    return false
  } catch (error) {
    // Without its state the audit does not run at all.
    expect(String(error)).toMatch(/chain_state has lost its row/)
    return true
  }
}

/** The checks of what writers noted. */
const NOTES = new Set(['facts as written', 'names'])

async function isFoundAtNode(tx: Sql): Promise<boolean> {
  return (await compareBlocks(tx, ledger.blocks)).some(isDifferent)
}
