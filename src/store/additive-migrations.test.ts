import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { RELEASED_SCHEMAS } from '../../test/releases.js'
import type { Sql } from './connection.js'
import { migrate, readMigrations } from './migrate.js'
import { findBreakingChanges, findDeletions, selectSchema } from './test-schema-changes.js'
import { transact } from './transaction.js'

/** The last migration of the last release: those after it run while processes of that release still serve. */
const RELEASED = RELEASED_SCHEMAS.at(-1) ?? 0
/** The way out, for a change that cannot be made in additive steps: see "Rolling restarts" in docs/scaling.md. */
const WAY_OUT = /^-- Not additive: \S/m

const nameOf = (version: number) => `${String(version).padStart(6, '0')}.sql`

test('migrations after the last release only add to what its processes know', async () => {
  const database = await createTestDatabase({ isEmpty: true })
  onTestFinished(() => database.drop())
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  const migrations = readMigrations()
  await migrate(database.sql, migrations.slice(0, RELEASED))
  for (const { version, sql } of migrations.slice(RELEASED)) {
    const before = await selectSchema(database.sql)
    await migrate(database.sql, migrations.slice(0, version))
    const breaking = [...findBreakingChanges(before, await selectSchema(database.sql)), ...findDeletions(sql)]
    const name = nameOf(version)
    if (WAY_OUT.test(sql)) expect(changelog, `the changelog names ${name}`).toContain(name)
    else expect(breaking, name).toEqual([])
  }
})

describe('which statements count as additive', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase({ isEmpty: true })
    await database.sql.unsafe(`
      create table coin (id integer primary key, name text, price numeric not null default 0);
      create index coin_name on coin (name);
      create function half(whole integer) returns integer language sql as 'select whole / 2'`)
  })
  afterAll(() => database.drop())

  const rolledBack = new Error('rolled back')

  /** What is wrong with a migration, which is not kept. */
  async function judge(migration: string): Promise<string[]> {
    let breaking: string[] = []
    const attempt = transact(database.sql, async (tx: Sql) => {
      const before = await selectSchema(tx)
      await tx.unsafe(migration)
      breaking = [...findBreakingChanges(before, await selectSchema(tx)), ...findDeletions(migration)]
      throw rolledBack
    })
    await expect(attempt).rejects.toBe(rolledBack)
    return breaking
  }

  test.each([
    'alter table coin add column symbol text',
    "alter table coin add column symbol text not null default ''",
    'alter table coin add column number bigint generated always as identity',
    'create table chain (id integer primary key, name text not null unique)',
    'create index coin_price on coin (price)',
    'alter table coin alter column name set default $$new$$',
    'create function third(whole integer) returns integer language sql as $$select whole / 3$$',
    "update coin set name = '' where name is null -- not: delete from coin",
  ])('additive: %s', async (migration) => {
    expect(await judge(migration)).toEqual([])
  })

  test.each([
    ['drop table coin', 'relation public.coin is gone'],
    ['alter table coin drop column name', 'column public.coin.name is gone'],
    ['alter table coin rename to currency', 'relation public.coin is gone'],
    ['alter table coin rename column name to title', 'column public.coin.name is gone'],
    [
      'alter table coin alter column id type bigint',
      'column public.coin.id was "integer not null", is "bigint',
    ],
    [
      'alter table coin alter column name set not null',
      'column public.coin.name was "text", is "text not null"',
    ],
    ['alter table coin alter column price drop not null', 'column public.coin.price was "numeric not null"'],
    ['alter table coin alter column price drop default', 'default of public.coin.price is gone'],
    ['alter table coin add column symbol text not null', 'column public.coin.symbol may refuse rows'],
    ['alter table coin add check (price > 0)', 'constraint coin_price_check of public.coin may refuse rows'],
    ['create unique index coin_once on coin (name)', 'index coin_once may refuse rows'],
    ['alter table coin drop constraint coin_pkey', 'constraint coin_pkey of public.coin is gone'],
    ['drop index coin_name', 'index coin_name is gone'],
    [
      'create or replace function half(whole integer) returns integer language sql as $$select 0$$',
      'function half(integer) was',
    ],
    ["do $$ begin execute 'drop' || ' table coin'; end $$", 'relation public.coin is gone'],
    ['truncate coin', 'truncate coin'],
    ['delete\n  from coin where id < 5', 'delete from coin'],
  ])('not additive: %s', async (migration, reason) => {
    expect(await judge(migration)).toContainEqual(expect.stringContaining(reason))
  })
})
