import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import type { Entry } from '../../ledger/entry.js'
import { ID_COLUMNS } from './fact-kind.js'
import { BOOKED_KINDS, createBatchFacts, FACT_TABLES, KINDS } from './registry.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('a new batch has an empty list for every kind', () => {
  const facts = createBatchFacts()
  for (const [list] of KINDS) expect(facts[list]).toEqual([])
})

test('every kind of ledger entry comes from exactly one kind of fact', () => {
  const kinds: Record<Entry['kind'], true> = {
    fill: true,
    split: true,
    redemption: true,
    conversion: true,
    migration: true,
    transfer: true,
    supply: true,
  }
  const booked = BOOKED_KINDS.map(({ entries }) => entries.kind)
  expect(booked.toSorted()).toEqual(Object.keys(kinds).toSorted())
})

test('every table has the columns of its kind, all of them', async () => {
  for (const { table, columns } of FACT_TABLES) {
    const rows = await database.sql<{ name: string }[]>`
      select attname as name
        from pg_attribute
       where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`
    const names = rows.map(({ name }) => name)
    expect([table, names.toSorted()]).toEqual([table, columns.toSorted()])
  }
})

test('every column of whole numbers is a number or holds ids', async () => {
  const rows = await database.sql<{ name: string }[]>`
    select distinct attname as name
      from pg_attribute
      join pg_class on pg_class.oid = attrelid
     where relname = any(${FACT_TABLES.map(({ table }) => table)}::text[])
       and format_type(atttypid, null) in ('integer', 'integer[]')
       and attnum > 0`
  const names = rows.map(({ name }) => name).filter((name) => ID_COLUMNS[name] === undefined)
  expect(names.toSorted()).toEqual(['block', 'fee_bips', 'number', 'outcomes', 'time'])
})

test('exactly the tables with partition indexes are partitioned', async () => {
  const rows = await database.sql<{ name: string }[]>`
    select relname as name
      from pg_class
     where relkind = 'p' and relname = any(${FACT_TABLES.map(({ table }) => table)}::text[])`
  const partitioned = FACT_TABLES.filter(({ partitionIndexes }) => partitionIndexes !== undefined)
  expect(rows.map(({ name }) => name).toSorted()).toEqual(partitioned.map(({ table }) => table).toSorted())
})
