import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { counts } from '../../test/counts.js'
import { FACT_TABLES } from '../chain/facts/registry.js'
import { ID_TABLES } from '../chain/ids/queries.js'
import { LEDGER_TABLE_NAMES } from '../ledger/rows/tables.js'
import type { Sql } from '../store/connection.js'
import { compareBlocks, isDifferent } from './against-node.js'
import { type AuditPlan, auditState } from './audit.js'
import { bookEveryFact } from './fixtures/every-fact.js'
import { EVERYTHING } from './scope.js'

const ALL: AuditPlan = { wallets: { kind: 'all' }, span: EVERYTHING }
const TIMEOUT_MS = 180_000

/** Whether each corruption is tried both ways, or only in the way that must find it. */
const BOTH = counts({ short: false, long: true })

/** What the node can be asked about. */
const NODE_TABLES: readonly string[] = [...FACT_TABLES.map(({ table }) => table), ...ID_TABLES]

/** What follows from those, and how far the chain is booked. */
const OWN_TABLES: readonly string[] = [
  ...LEDGER_TABLE_NAMES,
  ...['pnl', 'undo', 'undo_floor', 'recent_blocks', 'coverage', 'chain_state', 'partitions'],
]

/** What stored facts alone cannot prove: only `--against-node` finds that it was changed. */
const NODE_ALONE = new Set([
  ...['fills.order_hash'],
  ...['splits.seq', 'splits.tx_hash'],
  ...['redemptions.flags'],
  ...['conversions.market', 'conversions.index_set'],
  ...['migrations.seq'],
  ...['transfers.sub', 'transfers.is_internal', 'transfers.bears_cost'],
  ...['fees.seq', 'fees.wallet'],
  ...[
    'flows.seq',
    'flows.amount',
    'flows.from_wallet',
    'flows.to_wallet',
    'flows.asset',
    'flows.ramp',
    'flows.kind',
    'flows.tx_hash',
    'flows deleted',
    'flows doubled',
  ],
  ...[
    'oracle_events.kind',
    'oracle_events.contract',
    'oracle_events.question',
    'oracle_events.request_time',
    'oracle_events.actor',
    'oracle_events.proposer',
    'oracle_events.price',
    'oracle_events.expiration',
    'oracle_events deleted',
  ],
  ...['neg_risk_markets.fee_bips', 'neg_risk_markets.market'],
  ...['neg_risk_questions deleted'],
  ...['combos.seq', 'combos.legs', 'combos.tx_hash', 'combos deleted'],
  ...[
    'combo_events.seq',
    'combo_events.amount',
    'combo_events.wallet',
    'combo_events.kind',
    'combo_events.tokens',
    'combo_events.tx_hash',
    'combo_events deleted',
    'combo_events doubled',
  ],
  ...['wallet_owners doubled'],
  ...['raw_logs.contract', 'raw_logs.kind', 'raw_logs.topics', 'raw_logs.data', 'raw_logs deleted'],
  ...[
    'quarantine.seq',
    'quarantine.reason',
    'quarantine.detail',
    'quarantine.contract',
    'quarantine.topics',
    'quarantine.data',
    'quarantine.tx_hash',
    'quarantine deleted',
    'quarantine doubled',
  ],
  ...['wallets.address'],
  ...['builders.code'],
  ...['tokens.stated_in'],
])

/** What neither finds, because it says nothing of the chain: `epoch` counts rebuilds of the ledger. */
const UNPROVEN = new Set(['chain_state.epoch'])

let ledger: Awaited<ReturnType<typeof bookEveryFact>>
beforeAll(async () => {
  ledger = await bookEveryFact()
}, TIMEOUT_MS)
afterAll(() => ledger.database.drop())

test('a history with every kind of fact is clean', async () => {
  const { sql } = ledger.database
  for (const table of [...NODE_TABLES, ...OWN_TABLES]) {
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
    '%s: the node shows each of them, and the audit alone all but a few',
    async (table) => {
      for (const corruption of await corruptionsOf(table)) {
        const { name } = corruption
        const isAlone = NODE_ALONE.has(name)
        if (isAlone || BOTH) {
          expect([name, await isFound(corruption, 'by the node')]).toEqual([name, true])
        }
        if (!isAlone || BOTH) {
          expect([name, await isFound(corruption, 'alone')]).toEqual([name, !isAlone])
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
        expect([name, await isFound(corruption, 'alone')]).toEqual([name, true])
      }
    },
    TIMEOUT_MS,
  )
})

type Corruption = { name: string; statement: string }
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
  const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => `"${name}"`)
  const key = keys.join(', ')
  const middle = (which: string) => `(${key}) = (
    select ${key} from ${table} where ${which} order by ${key}
    offset (select count(*) / 2 from ${table} where ${which}) limit 1)`
  const changes = columns.map(({ name, ...column }) => ({
    name: `${table}.${name}`,
    statement: `update ${table} set "${name}" = ${changed(table, { name, ...column })}
                 where ${middle(`"${name}" is not null`)}`,
  }))
  const copied = columns.map(({ name }) => (name === 'seq' ? SHIFTED : `"${name}"`))
  const double = {
    name: `${table} doubled`,
    statement: `insert into ${table} select ${copied.join()} from ${table} where ${middle('true')}`,
  }
  return [
    ...changes.filter(({ name }) => !ALWAYS_NULL.has(name) && !name.endsWith('.is_only_row')),
    { name: `${table} deleted`, statement: `delete from ${table} where ${middle('true')}` },
    ...(keys.includes('"seq"') ? [double] : []),
  ]
}

/** No log of the history has such an index. */
const SHIFTED = 'seq + 7777'

/** No row of the history has a value. */
const ALWAYS_NULL = new Set([
  ...['fills.metadata', 'splits.tokens', 'combo_events.payout', 'chain_state.kept_from'],
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
    case 'boolean':
      return `not ${column}`
    case 'bytea[]':
      return `array_append(${column}, '\\x01'::bytea)`
    case 'integer[]':
    case 'bigint[]':
    case 'numeric[]':
      return `case when cardinality(${column}) = 0 then array[1]
                   else array_append(${column}[:cardinality(${column}) - 1], ${column}[cardinality(${column})] + 1) end`
    default:
      if (name === 'seq') return SHIFTED
      return isKey ? `(select max(${column}) + 1 from ${table})` : `${column} + 1`
  }
}

const ROLLBACK = new Error('rollback')

async function isFound(
  { name, statement }: Corruption,
  how: 'alone' | 'by the node',
): Promise<boolean> {
  let found = false
  const spoilt = ledger.database.sql.begin(async (tx) => {
    const { count } = await tx.unsafe(statement)
    expect([name, count]).toEqual([name, 1])
    found = how === 'alone' ? await isFoundAlone(tx) : await isFoundAtNode(tx)
    throw ROLLBACK
  })
  await expect(spoilt).rejects.toBe(ROLLBACK)
  return found
}

/** Without its state the audit does not run at all. */
async function isFoundAlone(tx: Sql): Promise<boolean> {
  try {
    return (await auditState(tx, ALL)).some(({ differences }) => differences > 0)
  } catch (error) {
    expect(String(error)).toMatch(/chain_state has lost its row/)
    return true
  }
}

async function isFoundAtNode(tx: Sql): Promise<boolean> {
  return (await compareBlocks(tx, ledger.blocks)).some(isDifferent)
}
