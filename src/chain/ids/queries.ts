import { COMBO_MODULE } from '../../core/structured-id.js'
import type { Sql } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'
import { fromHex, hex, rowsAs } from '../../store/sql-words.js'

/** Tables that give natural ids integer ids; all but the tokens have no other columns of use. */
const PLAIN_ID_TABLES = ['wallets', 'conditions', 'builders'] as const
export const ID_TABLES = [...PLAIN_ID_TABLES, 'tokens'] as const

type PlainIdTable = (typeof PLAIN_ID_TABLES)[number]
export type IdTable = (typeof ID_TABLES)[number]
export type FoundId = { name: string; id: number }
/** `since` is the first `seq` that names the id. */
export type NewId = FoundId & { since: number }
/** `statedIn` is the block whose log stated the condition. */
export type TokenRow = {
  id: number
  condition: number | null
  statedIn: number | null
  isCombo: boolean
}
type SetToken = { id: number; condition: number; statedIn: number; isCombo: boolean }
/** A token and its condition. `outcome` is undefined for a token of a further set of the condition. */
export type TokenOutcome = {
  id: number
  condition: number
  outcome: number | undefined
  statedIn: number
}
export type LastIds = Record<IdTable, number>

/** The column of the natural id. */
export const NAME_COLUMNS: Readonly<Record<IdTable, string>> = {
  wallets: 'address',
  conditions: 'condition',
  builders: 'code',
  tokens: 'token',
}

export const byIdTable = <T>(make: (table: IdTable) => T): Record<IdTable, T> => ({
  wallets: make('wallets'),
  tokens: make('tokens'),
  conditions: make('conditions'),
  builders: make('builders'),
})

/** SQL condition on a row of `tokens`: the same as `isCombo` of its natural id. */
export const IS_COMBO = `get_byte(token, 0) = ${COMBO_MODULE} and substr(token, 20, 8) = '\\x0000000000000000'`

/**
 * Of an id and its natural id: stored with them, so that names that are exchanged later are found. The columns are those
 * of the id tables, or expressions.
 */
export const checksumSql = (id: string, name: string): string => `hash_record(row(${id}, ${name}))`

/** One transaction at a time adds or removes ids, until it ends. */
export async function lockIds(tx: Sql): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCKS.names})`
}

/** Those of the names that have an id. Index: the unique one, whatever the planner estimates. */
export async function selectIds(sql: Sql, table: PlainIdTable, names: readonly string[]): Promise<FoundId[]> {
  if (names.length === 0) return []
  return sql<FoundId[]>`
    select name, id
      from unnest(string_to_array(${names.join()}, ',')) as name
     cross join lateral (
       select id
         from ${sql(table)}
        where ${sql(NAME_COLUMNS[table])} = decode(substr(name, 3), 'hex')
       offset 0
     ) as known`
}

export async function selectTokens(sql: Sql, names: readonly string[]): Promise<(FoundId & TokenRow)[]> {
  if (names.length === 0) return []
  return sql<(FoundId & TokenRow)[]>`
    select name, id, condition, stated_in, is_combo
      from unnest(string_to_array(${names.join()}, ',')) as name
     cross join lateral (
       select id, condition, stated_in, ${sql.unsafe(IS_COMBO)} as is_combo
         from tokens
        where token = decode(substr(name, 3), 'hex')
       offset 0
     ) as known`
}

export async function selectConditionsOf(sql: Sql, tokens: readonly number[]): Promise<TokenRow[]> {
  if (tokens.length === 0) return []
  return sql<TokenRow[]>`
    select id, condition, stated_in, ${sql.unsafe(IS_COMBO)} as is_combo
      from tokens
     where id = any(${tokens}::integer[])`
}

/** Tokens of these conditions by outcome. Index: tokens_condition. */
export async function selectTokensOf(sql: Sql, conditions: readonly number[]): Promise<SetToken[]> {
  if (conditions.length === 0) return []
  return sql<SetToken[]>`
    select condition, id, stated_in, ${sql.unsafe(IS_COMBO)} as is_combo
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

/** Inserts the new ids of all tables; new tokens with the outcome that was stated of them. */
export async function insertIds(
  tx: Sql,
  created: Record<IdTable, readonly NewId[]>,
  outcomes: readonly TokenOutcome[],
): Promise<void> {
  await Promise.all([
    ...PLAIN_ID_TABLES.map((table) => insertPlainIds(tx, table, created[table])),
    insertTokens(tx, created.tokens, outcomes),
  ])
}

const NEW_ID_TYPES = { id: 'integer', name: 'text', since: 'bigint' }
const STATEMENT_TYPES = { condition: 'integer', statedIn: 'integer', outcome: 'smallint' }

/** The checksum of a row that is not inserted yet, whose `name` is hex text. */
export const NEW_CHECKSUM = checksumSql('id', "decode(substr(name, 3), 'hex')")

async function insertPlainIds(tx: Sql, table: PlainIdTable, ids: readonly NewId[]): Promise<void> {
  if (ids.length === 0) return
  await tx`
    insert into ${tx(table)} (id, ${tx(NAME_COLUMNS[table])}, since, checksum)
    select id, ${fromHex(tx, 'name')}, since, ${tx.unsafe(NEW_CHECKSUM)}
      from ${rowsAs(tx, 'named', ids, NEW_ID_TYPES)}`
}

async function insertTokens(
  tx: Sql,
  tokens: readonly NewId[],
  outcomes: readonly TokenOutcome[],
): Promise<void> {
  if (tokens.length === 0) return
  const byToken = new Map(outcomes.map((outcome) => [outcome.id, outcome]))
  const stated = tokens.map((token) => ({ ...byToken.get(token.id), ...token }))
  await tx`
    insert into tokens (id, token, since, condition, stated_in, outcome, checksum)
    select id, ${fromHex(tx, 'name')}, since, condition, stated_in, outcome, ${tx.unsafe(NEW_CHECKSUM)}
      from ${rowsAs(tx, 'named', stated, { ...NEW_ID_TYPES, ...STATEMENT_TYPES })}`
}

/** Gives tokens that had none their condition. */
export async function updateOutcomes(tx: Sql, outcomes: readonly TokenOutcome[]): Promise<void> {
  if (outcomes.length === 0) return
  await tx`
    update tokens
       set condition = stated.condition, stated_in = stated.stated_in, outcome = stated.outcome
      from ${rowsAs(tx, 'stated', outcomes, { id: 'integer', ...STATEMENT_TYPES })}
     where tokens.id = stated.id`
}

/** Notes for a reorganisation that these tokens had no condition before these blocks. */
export async function insertOutcomeJournal(tx: Sql, outcomes: readonly TokenOutcome[]): Promise<void> {
  if (outcomes.length === 0) return
  await tx`
    insert into undo (block, state, key, image)
    select stated_in, 'tokens', array[id], '{}'
      from ${rowsAs(tx, 'stated', outcomes, { statedIn: 'integer', id: 'bigint' })}`
}

/**
 * Removes the ids that were first named from this block on, and reverts what these blocks stated
 * of older tokens.
 */
export async function deleteIdsFrom(tx: Sql, fromBlock: number, fromSeq: number): Promise<void> {
  await tx`
    with undone as (
      delete from undo where block >= ${fromBlock} and state = 'tokens' returning key[1] as id
    )
    update tokens
       set condition = null, stated_in = null, outcome = null
      from undone
     where tokens.id = undone.id`
  for (const table of ID_TABLES) {
    await tx.unsafe(`delete from ${table} where since >= $1`, [fromSeq])
  }
}

/**
 * Older blocks state the same of these tokens, some of them more than once: no reorganisation takes it
 * back any more.
 */
export async function lowerStatedIn(
  tx: Sql,
  outcomes: readonly Omit<TokenOutcome, 'outcome'>[],
): Promise<void> {
  if (outcomes.length === 0) return
  const ids = outcomes.map(({ id }) => id)
  await tx`delete from undo where state = 'tokens' and key[1] = any(${ids}::bigint[])`
  await tx`
    update tokens
       set stated_in = older.stated_in
      from (select id, condition, min(stated_in) as stated_in
              from ${rowsAs(tx, 'stated', outcomes, { id: 'integer', condition: 'integer', statedIn: 'integer' })}
             group by id, condition) as older
     where tokens.id = older.id
       and tokens.condition = older.condition
       and tokens.stated_in > older.stated_in`
}

/** Older blocks name these ids. */
export async function lowerSince(
  tx: Sql,
  table: IdTable,
  ids: readonly { id: number; since: number }[],
): Promise<void> {
  if (ids.length === 0) return
  await tx`
    update ${tx(table)} as named
       set since = older.since
      from ${rowsAs(tx, 'older', ids, { id: 'integer', since: 'bigint' })}
     where named.id = older.id and named.since > older.since`
}

/** The natural ids of these ids. */
export async function selectNames(
  sql: Sql,
  ids: Record<IdTable, ReadonlySet<number>>,
): Promise<(table: IdTable, id: number) => string> {
  const names = byIdTable(() => new Map<number, string>())
  for (const table of ID_TABLES) {
    if (ids[table].size === 0) continue
    const found = await sql<FoundId[]>`
      select id, ${hex(sql, NAME_COLUMNS[table])} as name
        from ${sql(table)}
       where id = any(${[...ids[table]]}::integer[])`
    for (const { id, name } of found) names[table].set(id, name)
  }
  return (table, id) => names[table].get(id) ?? `number ${id} (without a name)`
}
