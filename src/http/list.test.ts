import { Type } from 'typebox'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import type { Sql } from '../store/connection.js'
import { createView } from './list.js'

type Fact = { seq: number; name: number }

const PAGE = { limit: 3, offset: 0, after: undefined }

/** A list of facts whose names are read by a second query, before which something happens. */
function listFacts(beforeNames: (sql: Sql) => Promise<unknown>) {
  return createView<object, Fact, { seq: number; text: string }>({
    row: Type.Object({ seq: Type.Integer(), text: Type.String() }),
    select: (sql, _scope, { limit }) =>
      sql<Fact[]>`select seq, name from facts order by seq desc limit ${limit}`,
    keyOf: ({ seq }) => [seq],
    complete: async (sql, rows) => {
      await beforeNames(sql)
      const names = await sql<{ id: number; text: string }[]>`select id, text from names`
      const texts = new Map(names.map(({ id, text }) => [id, text]))
      return rows.flatMap(({ seq, name }) => {
        const text = texts.get(name)
        return text === undefined ? [] : [{ seq, text }]
      })
    },
    present: (row) => row,
  })
}

async function openFacts() {
  const { sql, drop } = await createTestDatabase()
  onTestFinished(drop)
  await sql`create table facts (seq integer, name integer)`
  await sql`create table names (id integer, text text)`
  await sql`insert into names values (1, 'a'), (2, 'b')`
  await sql`insert into facts values (1, 1), (2, 1), (3, 2), (4, 1)`
  return sql
}

/** Fact 3 and its name were of blocks that are replaced. */
const reorganise = (sql: Sql) => sql`
  with lost as (delete from facts where seq >= 3), unnamed as (delete from names where id = 2)
  insert into facts values (5, 1)`

test('a page whose rows lose their names between two queries is read again', async () => {
  const sql = await openFacts()
  let times = 0
  const view = listFacts(async () => (++times === 1 ? await reorganise(sql) : undefined))
  const { values } = await view.select(sql, {}, PAGE)
  // Not fact 4 of the old blocks beside what is left of the rest.
  expect(values).toEqual([
    { seq: 5, text: 'a' },
    { seq: 2, text: 'a' },
    { seq: 1, text: 'a' },
  ])
  expect(times).toBe(2)
})

test('a row without a name is left out, and the list goes on after it', async () => {
  const sql = await openFacts()
  await sql`delete from names where id = 2`
  const { values, hasMore, lastKey } = await listFacts(async () => undefined).select(sql, {}, PAGE)
  expect(values).toEqual([
    { seq: 4, text: 'a' },
    { seq: 2, text: 'a' },
  ])
  expect({ hasMore, lastKey }).toEqual({ hasMore: true, lastKey: [2] })
})
