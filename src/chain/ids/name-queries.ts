import type { Sql } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'

/** Tables of names that have nothing but a number, and all of them. */
export const PLAIN_NAME_TABLES = ['wallets', 'conditions', 'builders'] as const
export const NAME_TABLES = [...PLAIN_NAME_TABLES, 'tokens'] as const

export type PlainNameTable = (typeof PLAIN_NAME_TABLES)[number]
export type NameTable = (typeof NAME_TABLES)[number]
type FoundName = { name: string; id: number }
/** `told` is the block that told the condition. */
type TokenRow = { id: number; condition: number | null; told: number | null }
export type NewName = { name: string; id: number; since: number }
/** `outcome` is undefined for a token that only shares its condition with the known ones. */
export type ToldToken = { id: number; condition: number; outcome: number | undefined; told: number }
export type NewToken = NewName & { telling: ToldToken | undefined }
export type LastIds = Record<NameTable, number>

const COLUMNS: Record<PlainNameTable, string> = {
  wallets: 'address',
  conditions: 'condition',
  builders: 'code',
}

/** One at a time gives numbers or takes them back, until the end of its transaction. */
export async function lockNames(tx: Sql): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCKS.names})`
}

/** Those of the names that have a number. Index: the unique one, whatever the planner thinks. */
export function selectNames(
  sql: Sql,
  table: PlainNameTable,
  names: readonly string[],
): Promise<FoundName[]> {
  return sql<FoundName[]>`
    select name, id
      from unnest(string_to_array(${names.join()}, ',')) as name
     cross join lateral (
       select id
         from ${sql(table)}
        where ${sql(COLUMNS[table])} = decode(substr(name, 3), 'hex')
       offset 0
     ) as known`
}

export function selectTokens(
  sql: Sql,
  names: readonly string[],
): Promise<(FoundName & TokenRow)[]> {
  return sql<(FoundName & TokenRow)[]>`
    select name, id, condition, told
      from unnest(string_to_array(${names.join()}, ',')) as name
     cross join lateral (
       select id, condition, told from tokens where token = decode(substr(name, 3), 'hex') offset 0
     ) as known`
}

export function selectConditionsOf(sql: Sql, tokens: readonly number[]): Promise<TokenRow[]> {
  return sql<TokenRow[]>`
    select id, condition, told from tokens where id = any(${tokens}::integer[])`
}

/** Tokens of these conditions by outcome. Index: tokens_condition. */
export function selectTokensOf(
  sql: Sql,
  conditions: readonly number[],
): Promise<{ condition: number; id: number; told: number }[]> {
  return sql<{ condition: number; id: number; told: number }[]>`
    select condition, id, told
      from tokens
     where condition = any(${conditions}::integer[])
       and outcome is not null
     order by condition, outcome`
}

export async function selectLastIds(sql: Sql): Promise<LastIds> {
  const [row] = await sql<LastIds[]>`
    select coalesce((select max(id) from wallets), 0) as wallets,
           coalesce((select max(id) from tokens), 0) as tokens,
           coalesce((select max(id) from conditions), 0) as conditions,
           coalesce((select max(id) from builders), 0) as builders`
  if (row === undefined) throw new Error('a select of values gave no row')
  return row
}

export async function insertNames(
  tx: Sql,
  table: PlainNameTable,
  names: readonly NewName[],
): Promise<void> {
  if (names.length === 0) return
  await tx`
    insert into ${tx(table)} (id, ${tx(COLUMNS[table])}, since)
    select id, decode(substr(name, 3), 'hex'), since
      from unnest(${names.map(({ id }) => id)}::integer[],
                  ${names.map(({ name }) => name)}::text[],
                  ${names.map(({ since }) => since)}::bigint[]) as named (id, name, since)`
}

export async function insertTokens(tx: Sql, tokens: readonly NewToken[]): Promise<void> {
  if (tokens.length === 0) return
  await tx`
    insert into tokens (id, token, since, condition, told, outcome)
    select id, decode(substr(name, 3), 'hex'), since, condition, told, outcome
      from unnest(${tokens.map(({ id }) => id)}::integer[],
                  ${tokens.map(({ name }) => name)}::text[],
                  ${tokens.map(({ since }) => since)}::bigint[],
                  ${tokens.map(({ telling }) => telling?.condition ?? null)}::integer[],
                  ${tokens.map(({ telling }) => telling?.told ?? null)}::integer[],
                  ${tokens.map(({ telling }) => telling?.outcome ?? null)}::smallint[])
        as named (id, name, since, condition, told, outcome)`
}

/** Tells tokens that had none their condition. */
export async function updateTokens(tx: Sql, tokens: readonly ToldToken[]): Promise<void> {
  await tx`
    update tokens
       set condition = telling.condition, told = telling.told, outcome = telling.outcome
      from unnest(${tokens.map(({ id }) => id)}::integer[],
                  ${tokens.map(({ condition }) => condition)}::integer[],
                  ${tokens.map(({ told }) => told)}::integer[],
                  ${tokens.map(({ outcome }) => outcome ?? null)}::smallint[])
        as telling (id, condition, told, outcome)
     where tokens.id = telling.id`
}

/** Keeps for a reorganisation that these tokens had no condition before these blocks. */
export async function journalTokens(tx: Sql, tokens: readonly ToldToken[]): Promise<void> {
  await tx`
    insert into undo (block, state, key, image)
    select told, 'tokens', array[id], '{}'
      from unnest(${tokens.map(({ told }) => told)}::integer[],
                  ${tokens.map(({ id }) => id)}::bigint[]) as telling (told, id)`
}

/** Takes back what the blocks from this one on have told. Comes before their names go. */
export async function untellTokens(tx: Sql, fromBlock: number): Promise<void> {
  await tx`
    with undone as (
      delete from undo where block >= ${fromBlock} and state = 'tokens' returning key[1] as id
    )
    update tokens
       set condition = null, told = null, outcome = null
      from undone
     where tokens.id = undone.id`
}

/** Older facts tell the same of these tokens: no reorganisation takes it back. */
export async function lowerTold(
  tx: Sql,
  tokens: readonly Omit<ToldToken, 'outcome'>[],
): Promise<void> {
  const ids = tokens.map(({ id }) => id)
  await tx`delete from undo where state = 'tokens' and key[1] = any(${ids}::bigint[])`
  await tx`
    update tokens
       set told = older.told
      from unnest(${ids}::integer[],
                  ${tokens.map(({ condition }) => condition)}::integer[],
                  ${tokens.map(({ told }) => told)}::integer[]) as older (id, condition, told)
     where tokens.id = older.id
       and tokens.condition = older.condition
       and tokens.told > older.told`
}

/** Names that are older than was known. */
export async function lowerSince(
  tx: Sql,
  table: NameTable,
  names: readonly { id: number; since: number }[],
): Promise<void> {
  await tx.unsafe(
    `update ${table} as names
        set since = older.since
       from unnest($1::integer[], $2::bigint[]) as older (id, since)
      where names.id = older.id and names.since > older.since`,
    [names.map(({ id }) => id), names.map(({ since }) => since)],
  )
}
