import { LEDGER_TABLE_NAMES } from '../../ledger/rows/tables.js'
import type { Sql } from '../../store/connection.js'

/** The schema in which a new ledger is built beside the one in use, unless the caller names another one. */
const SHADOW_SCHEMA = 'auspex_rebuild'
const progressOf = (schema: string): string => `${schema}.progress`

/** All tables of a ledger; `pnl` is partitioned. */
const SHADOW_TABLES = [...LEDGER_TABLE_NAMES, 'pnl', 'undo', 'undo_floor']
/** Entries that the new ledger refuses stay apart until it is in use. */
const CREATED_TABLES = [...SHADOW_TABLES, 'quarantine']

/**
 * While the swap waits for its locks, new readers queue up after it: for no longer than this in total. It is below the
 * `deadlock_timeout` of the server, so that no reader that has one of the tables and waits for another is cancelled.
 */
const LOCKS_WAIT_MS = 800
/** Autovacuum yields a table after `deadlock_timeout` to a statement that waits for it. Readers can read meanwhile. */
const VACUUM_WAIT_MS = 2_000

/** For the rest of the transaction, `positions` and the other names mean the shadow tables. */
export async function useShadowTables(tx: Sql, schema = SHADOW_SCHEMA): Promise<void> {
  await tx.unsafe(`set local search_path = ${schema}, public; set local statement_timeout = 0`)
}

/** Removes a ledger that was begun. */
export async function dropShadowTables(tx: Sql, schema = SHADOW_SCHEMA): Promise<void> {
  await tx.unsafe(`drop schema if exists ${schema} cascade`)
}

/** Creates the tables, empty: like those in use, without the indexes beside the primary key. */
export async function createShadowTables(tx: Sql, schema = SHADOW_SCHEMA): Promise<void> {
  await dropShadowTables(tx, schema)
  await tx.unsafe(`create schema ${schema}`)
  const tables = await tx<
    { name: string; key: string; partitionKey: string | null; options: string | null }[]
  >`
    select c.relname as name, pg_get_constraintdef(k.oid) as key,
           pg_get_partkeydef(c.oid) as partition_key,
           array_to_string(c.reloptions, ', ') as options
      from pg_class c
      join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
     where c.relnamespace = 'public'::regnamespace
       and c.relname = any(${CREATED_TABLES}::text[])`
  for (const { name, key, partitionKey, options } of tables) {
    const shadow = `${schema}.${name}`
    const partitioned = partitionKey === null ? '' : `partition by ${partitionKey}`
    const withOptions = options === null ? '' : `with (${options})`
    await tx.unsafe(
      `create table ${shadow} (like public.${name} including all excluding indexes)
         ${partitioned} ${withOptions};
       alter table ${shadow} add ${key}`,
    )
  }
  await tx.unsafe(`insert into ${schema}.undo_floor (block) values (0)`)
}

/** Creates the partitions that the tables in use have by now. */
export async function addPartitions(tx: Sql, schema = SHADOW_SCHEMA): Promise<void> {
  const partitions = await tx<{ name: string; bounds: string }[]>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'public.pnl'::regclass
       and not exists (select from pg_class t
                        where t.relname = c.relname
                          and t.relnamespace = ${schema}::regnamespace)`
  for (const { name, bounds } of partitions) {
    const shadow = `${schema}.${name}`
    await tx.unsafe(
      `create table ${shadow} (like ${schema}.pnl including all);
       alter table ${schema}.pnl attach partition ${shadow} ${bounds}`,
    )
  }
}

/** Builds the indexes, of the same names, that the tables in use have and these have not. */
export async function addIndexes(tx: Sql): Promise<void> {
  const indexes = await tx<{ definition: string }[]>`
    select pg_get_indexdef(i.indexrelid) as definition
      from pg_index i
      join pg_class x on x.oid = i.indexrelid
      join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
      join pg_class t on t.relname = c.relname
                     and t.relnamespace = ${SHADOW_SCHEMA}::regnamespace
     where not i.indisprimary
       and not exists (select from pg_class
                        where relname = x.relname
                          and relnamespace = ${SHADOW_SCHEMA}::regnamespace)`
  for (const { definition } of indexes) {
    await tx.unsafe(definition.replace(' ON public.', ` ON ${SHADOW_SCHEMA}.`))
  }
}

/** So that the planner has statistics from the first query on. */
export async function analyzeShadowTables(tx: Sql): Promise<void> {
  await tx.unsafe(`analyze ${SHADOW_TABLES.map((name) => `${SHADOW_SCHEMA}.${name}`).join(', ')}`)
}

/**
 * Replaces the tables in use by these, at the end of the transaction; views follow. Fails with
 * `lock_not_available` when a long query reads the old ones.
 */
export async function swapShadowTables(tx: Sql): Promise<void> {
  await tx.unsafe(`
    set local search_path = public;
    set local lock_timeout = ${VACUUM_WAIT_MS};
    lock table ${SHADOW_TABLES.join(', ')} in share update exclusive mode`)
  const endMs = performance.now() + LOCKS_WAIT_MS
  for (const name of SHADOW_TABLES) {
    // 0 would be no limit.
    const leftMs = Math.max(1, Math.round(endMs - performance.now()))
    await tx.unsafe(`set local lock_timeout = ${leftMs}; lock table ${name} in access exclusive mode`)
  }
  // Which tokens a condition has is no part of the ledger, and its journal follows from the tokens: those
  // that are as new as what was stated of them need none. A block whose hash is not kept cannot be gone
  // back to.
  await tx.unsafe(`
    insert into ${SHADOW_SCHEMA}.undo
    select stated_in, 'tokens', array[id], '{}'
      from tokens
     where stated_in > (select block from ${SHADOW_SCHEMA}.undo_floor) and since >> 20 < stated_in;
    delete from quarantine where reason = 'out_of_range';
    insert into quarantine select * from ${SHADOW_SCHEMA}.quarantine;
    update ${SHADOW_SCHEMA}.undo_floor
       set block = greatest(block, (select min(number) from recent_blocks));
    delete from ${SHADOW_SCHEMA}.undo
     where block <= (select block from ${SHADOW_SCHEMA}.undo_floor)`)
  const views = await selectDependentViews(tx)
  if (views.length > 0) await tx.unsafe(`drop view ${views.map(({ name }) => name).join(', ')}`)
  await tx.unsafe(`drop table ${SHADOW_TABLES.join(', ')}`)
  for (const name of await selectShadowTables(tx)) {
    await tx.unsafe(`alter table ${SHADOW_SCHEMA}.${name} set schema public`)
  }
  await tx.unsafe(`drop schema ${SHADOW_SCHEMA} cascade`)
  for (const { name, definition } of views) await tx.unsafe(`create view ${name} as ${definition}`)
}

/** The tables of the ledger, partitions included. */
async function selectShadowTables(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name
      from pg_class
     where relnamespace = ${SHADOW_SCHEMA}::regnamespace
       and (relname = any(${SHADOW_TABLES}::text[]) or relispartition and relkind = 'r')`
  return rows.map(({ name }) => name)
}

type View = { name: string; definition: string }

/** The views that read these tables, or read such views; each comes after those that it reads. */
function selectDependentViews(sql: Sql): Promise<View[]> {
  return sql<View[]>`
    with recursive readers as (
      select oid as relation, 0 as depth
        from pg_class
       where relnamespace = 'public'::regnamespace
         and relname = any(${SHADOW_TABLES}::text[])
      union
      select r.ev_class, readers.depth + 1
        from readers
        join pg_depend d on d.refclassid = 'pg_class'::regclass
                        and d.refobjid = readers.relation
                        and d.classid = 'pg_rewrite'::regclass
        join pg_rewrite r on r.oid = d.objid and r.ev_class <> readers.relation
    )
    select format('%I.%I', n.nspname, c.relname) as name, pg_get_viewdef(c.oid) as definition
      from readers
      join pg_class c on c.oid = readers.relation and c.relkind = 'v'
      join pg_namespace n on n.oid = c.relnamespace
     group by c.oid, n.nspname, c.relname
     order by max(readers.depth)`
}

/** Notes that the tables are there and nothing is in them. */
export async function insertProgress(tx: Sql, fromBlock: number, schema = SHADOW_SCHEMA): Promise<void> {
  await tx.unsafe(
    `create table ${progressOf(schema)} as
     select ${fromBlock}::integer as ledger_from, max(version) as schema_version,
            -1::bigint as done_seq
       from schema_migrations`,
  )
}

/**
 * How far a ledger from this block on has come. `undefined`: none was begun, or for another block,
 * or by a build whose tables were different.
 */
export async function selectProgress(
  tx: Sql,
  fromBlock: number,
  schema = SHADOW_SCHEMA,
): Promise<number | undefined> {
  const [found] = await tx<{ isThere: boolean }[]>`
    select to_regclass(${progressOf(schema)}) is not null as is_there`
  if (found?.isThere !== true) return undefined
  const [row] = await tx.unsafe<{ doneSeq: number }[]>(
    `select done_seq::float8 as done_seq
       from ${progressOf(schema)}
      where ledger_from = $1
        and schema_version = (select max(version) from schema_migrations)`,
    [fromBlock],
  )
  return row?.doneSeq
}

/** Throws when another process has moved it. */
export async function moveProgress(
  tx: Sql,
  fromSeq: number,
  toSeq: number,
  schema = SHADOW_SCHEMA,
): Promise<void> {
  const { count } = await tx.unsafe(`update ${progressOf(schema)} set done_seq = $1 where done_seq = $2`, [
    toSeq,
    fromSeq,
  ])
  if (count !== 1) throw new Error('another process rebuilds the ledger')
}
