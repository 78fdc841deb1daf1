import { blockOf } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import { ID_COLUMNS } from '../facts/fact-kind.js'
import { FACT_TABLES } from '../facts/registry.js'
import {
  checksumSql,
  ID_TABLES,
  type IdTable,
  NAME_COLUMNS,
  NEW_CHECKSUM,
  type NewId,
} from '../ids/queries.js'

/** The ids of these names, as they are stored. Index: the unique one. */
export async function selectNamed(sql: Sql, table: IdTable, names: readonly string[]): Promise<NewId[]> {
  if (names.length === 0) return []
  return sql<NewId[]>`
    select name, id, since
      from unnest(string_to_array(${names.join()}, ',')) as name
     cross join lateral (
       select id, since::float8
         from ${sql(table)}
        where ${sql(NAME_COLUMNS[table])} = decode(substr(name, 3), 'hex')
       offset 0
     ) as known`
}

/** The ids that claim to be named first between these. Index: the one on `since`. */
export const selectFirstNamed = (
  sql: Sql,
  table: IdTable,
  { fromSeq, toSeq }: { fromSeq: number; toSeq: number },
): Promise<NewId[]> => sql<NewId[]>`
  select id, '0x' || encode(${sql(NAME_COLUMNS[table])}, 'hex') as name, since::float8
    from ${sql(table)} as named
   where named.since between ${fromSeq} and ${toSeq}
   order by id`

export async function selectByIds(sql: Sql, table: IdTable, ids: readonly number[]): Promise<NewId[]> {
  if (ids.length === 0) return []
  return sql<NewId[]>`
    select id, '0x' || encode(${sql(NAME_COLUMNS[table])}, 'hex') as name, since::float8
      from ${sql(table)} as named
     where id = any(${ids}::integer[])`
}

/** Gives ids other names and places, in one step: two of them may have changed their names. */
export async function renameIds(tx: Sql, table: IdTable, ids: readonly NewId[]): Promise<void> {
  if (ids.length === 0) return
  const numbers = ids.map(({ id }) => id)
  const column = tx(NAME_COLUMNS[table])
  // Shorter than any natural id, and different for each.
  await tx`update ${tx(table)} set ${column} = int4send(id) where id = any(${numbers}::integer[])`
  await tx`
    update ${tx(table)} as named
       set ${column} = decode(substr(other.name, 3), 'hex'), since = other.since,
           checksum = ${tx.unsafe(checksumSql('other.id', "decode(substr(other.name, 3), 'hex')"))}
      from unnest(${numbers}::integer[], ${ids.map(({ name }) => name)}::text[],
                  ${ids.map(({ since }) => since)}::bigint[]) as other (id, name, since)
     where named.id = other.id`
}

export async function insertNamed(tx: Sql, table: IdTable, ids: readonly NewId[]): Promise<void> {
  if (ids.length === 0) return
  await tx`
    insert into ${tx(table)} (id, ${tx(NAME_COLUMNS[table])}, since, checksum)
    select id, decode(substr(name, 3), 'hex'), since, ${tx.unsafe(NEW_CHECKSUM)}
      from unnest(${ids.map(({ id }) => id)}::integer[], ${ids.map(({ name }) => name)}::text[],
                  ${ids.map(({ since }) => since)}::bigint[]) as named (id, name, since)`
}

export async function updateSince(
  tx: Sql,
  table: IdTable,
  ids: readonly { id: number; since: number }[],
): Promise<void> {
  if (ids.length === 0) return
  await tx`
    update ${tx(table)} as named
       set since = other.since
      from unnest(${ids.map(({ id }) => id)}::integer[],
                  ${ids.map(({ since }) => since)}::bigint[]) as other (id, since)
     where named.id = other.id`
}

export async function deleteIds(tx: Sql, table: IdTable, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx`delete from ${tx(table)} where id = any(${ids}::integer[])`
}

/** How often the stored rows have an id where the rows of the temporary tables have a provisional one. */
export type Vote = { provisional: number; id: number; count: number }

/** Provisional ids are negative. The most frequent come first. */
export async function selectVotes(tx: Sql, table: IdTable): Promise<Vote[]> {
  const selects = (await selectIdColumns(tx, table)).map(({ fact, column, isList, keys }) => {
    const join = `from pg_temp.${fact} as n join public.${fact} as s using (${keys.join(', ')})`
    return isList
      ? `select pair.* ${join} cross join lateral unnest(n.${column}, s.${column}) as pair (provisional, id)
          where pair.provisional < 0 and pair.id is not null`
      : `select n.${column}, s.${column} ${join} where n.${column} < 0 and s.${column} is not null`
  })
  return tx.unsafe<Vote[]>(
    `select provisional, id, count(*)::integer as count
       from (${selects.join(' union all ')}) as pairs (provisional, id)
      group by provisional, id
      order by count(*) desc, provisional desc, id`,
  )
}

/** The first place after this `seq` where a stored row has the id; an id without one has no row. */
export async function selectFirstUses(
  tx: Sql,
  table: IdTable,
  ids: readonly number[],
  afterSeq: number,
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const selects = (await selectIdColumns(tx, table)).map(({ fact, column, isList, place }) => {
    const used = isList ? `unnest(${column})` : column
    const seq = place === 'seq' ? 'seq' : `${place}::bigint << 20`
    const after = place === 'seq' ? afterSeq : blockOf(afterSeq)
    return `select ${used} as id, ${seq} as seq from public.${fact} where ${place} > ${after}`
  })
  const rows = await tx.unsafe<{ id: number; since: number }[]>(
    `select id, min(seq)::float8 as since
       from (${selects.join(' union all ')}) as used
      where id = any($1::integer[])
      group by id`,
    [ids],
  )
  return new Map(rows.map(({ id, since }) => [id, since]))
}

type IdColumn = { fact: string; column: string; isList: boolean; keys: string[]; place: string }

/**
 * The columns of all tables of facts that have ids of this table. `keys` are those by which a row is
 * found that has another id there: the primary key or, where the id is part of it, all other columns.
 */
async function selectIdColumns(sql: Sql, table: IdTable): Promise<IdColumn[]> {
  const places = new Map(FACT_TABLES.map((fact) => [fact.table, fact.columns[0] ?? '']))
  const columns = Object.keys(ID_COLUMNS).filter((column) => ID_COLUMNS[column] === table)
  const rows = await sql<Omit<IdColumn, 'place'>[]>`
    select c.relname as fact, a.attname as column, a.atttypid = 'integer[]'::regtype as is_list,
           (select array_agg(k.attname::text)
              from pg_attribute k
             where k.attrelid = c.oid
               and k.attnum > 0
               and k.attname <> all(${Object.keys(ID_COLUMNS)}::text[])
               and (k.attnum = any(i.indkey::int2[]) or a.attnum = any(i.indkey::int2[]))) as keys
      from pg_class c
      join pg_index i on i.indrelid = c.oid and i.indisprimary
      join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace
       and c.relname = any(${[...places.keys()]}::text[])
       and a.attname = any(${columns}::text[])
       and a.atttypid in ('integer'::regtype, 'integer[]'::regtype)
     order by c.relname, a.attnum`
  return rows.map((row) => ({ ...row, place: places.get(row.fact) ?? '' }))
}

export type StatedToken = {
  id: number
  condition: number | null
  statedIn: number | null
  outcome: number | null
}

/** These tokens, all of these conditions, and those whose condition these blocks are said to state. */
export const selectStatedTokens = (
  sql: Sql,
  query: {
    tokens: readonly number[]
    conditions: readonly number[]
    fromBlock: number
    toBlock: number
  },
): Promise<StatedToken[]> => sql<StatedToken[]>`
  select id, condition, stated_in, outcome
    from tokens
   where id = any(${query.tokens}::integer[])
      or condition = any(${query.conditions}::integer[])
      or stated_in between ${query.fromBlock} and ${query.toBlock}
   order by id`

export async function updateStated(tx: Sql, tokens: readonly StatedToken[]): Promise<void> {
  if (tokens.length === 0) return
  await tx`
    update tokens
       set condition = stated.condition, stated_in = stated.stated_in, outcome = stated.outcome
      from unnest(${tokens.map(({ id }) => id)}::integer[],
                  ${tokens.map(({ condition }) => condition)}::integer[],
                  ${tokens.map(({ statedIn }) => statedIn)}::integer[],
                  ${tokens.map(({ outcome }) => outcome)}::smallint[])
        as stated (id, condition, stated_in, outcome)
     where tokens.id = stated.id`
}

/** Of ids whose names were read again from the node and are right. Index: the one on `since`. */
export async function updateChecksums(
  tx: Sql,
  { fromSeq, toSeq }: { fromSeq: number; toSeq: number },
): Promise<void> {
  for (const table of ID_TABLES) {
    const checksum = tx.unsafe(checksumSql('id', NAME_COLUMNS[table]))
    await tx`
      update ${tx(table)} set checksum = ${checksum}
       where since between ${fromSeq} and ${toSeq} and checksum is distinct from ${checksum}`
  }
}
