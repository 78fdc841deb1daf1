import type { IdTable } from '../../chain/ids/queries.js'
import { toTokenId } from '../../core/ids.js'
import type { SqlColumn } from './archive-table.js'

/** How an id of the chain is shown in the files: a key, which is ours and joins fastest, and the text of the API. */
type NaturalId = { table: IdTable; column: string; suffix: string; toText(hex: string): string }

const sameText = (hex: string): string => hex

export const NATURAL_IDS: Readonly<Record<IdTable, NaturalId>> = {
  wallets: { table: 'wallets', column: 'address', suffix: '', toText: sameText },
  tokens: { table: 'tokens', column: 'token', suffix: '_id', toText: toTokenId },
  conditions: { table: 'conditions', column: 'condition', suffix: '_id', toText: sameText },
  builders: { table: 'builders', column: 'code', suffix: '', toText: sameText },
}

/**
 * The columns of an integer id: `wallet_key` and `wallet`, `token_key` and `token_id`. `alias`: of the table that
 * `joinOf` joins.
 */
export function idColumns(name: string, sql: string, table: IdTable, isNullable = false): SqlColumn[] {
  const { column, suffix, toText } = NATURAL_IDS[table]
  return [
    { name: `${name}_key`, type: 'integer', sql, isNullable },
    {
      name: `${name}${suffix}`,
      type: 'text',
      sql: `'0x' || encode(${aliasOf(name)}.${column}, 'hex')`,
      convert: rememberTexts(toText),
      // A fact may name an id that a repair has removed since.
      isNullable: true,
    },
  ]
}

/** The same of a list of ids. */
export function idListColumns(name: string, sql: string, table: IdTable, isNullable = false): SqlColumn[] {
  const { column, suffix, toText } = NATURAL_IDS[table]
  const convert = rememberTexts(toText)
  const one = name.replace(/s$/, '')
  return [
    { name: `${one}_keys`, type: 'integer', isList: true, sql, isNullable },
    {
      name: `${one}${suffix}s`,
      type: 'text',
      isList: true,
      sql: `(select array_agg('0x' || encode(o.${column}, 'hex') order by k.place)
               from unnest(${sql}) with ordinality as k (id, place) join ${table} o on o.id = k.id)`,
      convert: (value) => (value as string[]).map(convert),
      isNullable: true,
    },
  ]
}

export const joinOf = (name: string, sql: string, table: IdTable): string =>
  `left join ${table} ${aliasOf(name)} on ${aliasOf(name)}.id = ${sql}`

const aliasOf = (name: string): string => `id_of_${name}`

/** Texts are made once for each id that a file names often; there are at most this many in memory. */
const REMEMBERED_MAX = 50_000

function rememberTexts(toText: (hex: string) => string): (value: unknown) => string {
  const texts = new Map<string, string>()
  return (value) => {
    const hex = String(value)
    const known = texts.get(hex)
    if (known !== undefined) return known
    if (texts.size >= REMEMBERED_MAX) texts.clear()
    const text = toText(hex)
    texts.set(hex, text)
    return text
  }
}
