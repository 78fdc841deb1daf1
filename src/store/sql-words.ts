import { FILL_FLAGS, SPLIT_FLAGS } from '../core/fact-flags.js'
import { type Fragment, joinFragments, type Sql } from './connection.js'

/** Bytes as hex text that begins with `0x`. `column`: a column or an expression of bytes. */
export const hex = (sql: Sql, column: string): Fragment => sql.unsafe(`'0x' || encode(${column}, 'hex')`)

/** The bytes of a column or an expression of hex text that begins with `0x`. */
export const fromHex = (sql: Sql, text: string): Fragment => sql.unsafe(`decode(substr(${text}, 3), 'hex')`)

/** A query of the bytes of these hex texts, for `in`. */
export const selectBytes = (sql: Sql, texts: Iterable<string>): Fragment =>
  sql`select ${fromHex(sql, 'text')} from unnest(${[...texts]}::text[]) as text`

/**
 * Rows as a table with this name: `unnest` of one array for each field. The columns have the names of the fields in
 * snake case; a field that is undefined is null.
 */
export function rowsAs<Row extends object>(
  sql: Sql,
  name: string,
  rows: readonly Row[],
  types: { readonly [Field in keyof Row & string]?: string },
): Fragment {
  const fields = Object.keys(types) as (keyof Row & string)[]
  const arrays = fields.map((field) => {
    const values = rows.map((row) => row[field] ?? null) as (string | number | bigint | null)[]
    // The driver would take an array of these for one of them.
    const array = /^(bytea|boolean)$/.test(types[field] ?? '') ? sql.array(values) : values
    return sql`${array}::${sql.unsafe(`${types[field]}[]`)}`
  })
  const columns = fields.map((field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  return sql`unnest(${joinFragments(sql, arrays, sql`,`)}) as ${sql.unsafe(`${name} (${columns.join(', ')})`)}`
}

/** A condition on a bit of the column `flags`, which is a literal, because partial indexes have it in their conditions. */
const flagIs =
  (bit: number, test: '<> 0' | '= 0') =>
  (sql: Sql, alias?: string): Fragment =>
    sql.unsafe(`${alias === undefined ? '' : `${alias}.`}flags & ${bit} ${test}`)

/** Conditions on fills. */
export const isSell = flagIs(FILL_FLAGS.sell, '<> 0')
export const isBuy = flagIs(FILL_FLAGS.sell, '= 0')
export const isFeeInShares = flagIs(FILL_FLAGS.feeInShares, '<> 0')
export const isFeeInMoney = flagIs(FILL_FLAGS.feeInShares, '= 0')
export const isComboFill = flagIs(FILL_FLAGS.combo, '<> 0')
export const isMarketFill = flagIs(FILL_FLAGS.combo, '= 0')
/**
 * Whether a fill is the row of the order that took, whose counterparty is the exchange. Each match has
 * one beside those of the orders that it met: the volume of a market is the sum over these rows alone.
 * Every list and export of trades tells them apart by this.
 */
export const isTakerOrder = flagIs(FILL_FLAGS.taker, '<> 0')
export const isMakerOrder = flagIs(FILL_FLAGS.taker, '= 0')

/** The generation of the exchange that logged a fill. */
export const generationOf = (sql: Sql, alias: string): Fragment => sql.unsafe(`(${alias}.flags >> 4) & 7`)

/** Condition on splits and merges. */
export const isSplit = flagIs(SPLIT_FLAGS.merge, '= 0')
/** Conditions on splits and redemptions: the token contract logged it; it is the act of a user's wallet. */
export const isOfTokenContract = flagIs(SPLIT_FLAGS.core, '<> 0')
export const isOfUser = flagIs(SPLIT_FLAGS.user, '<> 0')

/** The time of the block of a `seq`, which is a column or an expression. Index: blocks_pkey. */
export const blockTime = (sql: Sql, seq: string): Fragment =>
  sql.unsafe(`(select time from blocks where number = ${seq} >> 20)`)

/** Whether a `seq` is of a block. Both are a column or an expression. */
export const isOfBlock = (sql: Sql, seq: string, number: string): Fragment =>
  sql.unsafe(`${seq} between ${number}::bigint << 20 and ((${number}::bigint + 1) << 20) - 1`)

/**
 * A digest of the rows `stored`, whatever their order; 0 without rows. What a job computes from the state of a moment is
 * stored with one, because no later state shows that a row was changed since.
 */
export const rowsDigest = (sql: Sql): Fragment => sql`coalesce(bit_xor(hash_record_extended(stored, 0)), 0)`

/** Whether a fill is of that order. The index of each partition has the first bytes of the hash. */
export const isOfOrder = (sql: Sql, column: string, hash: Fragment): Fragment => sql`
  (substring(${sql.unsafe(column)} from 1 for 6) = substring(${hash} from 1 for 6) and ${sql.unsafe(column)} = ${hash})`
