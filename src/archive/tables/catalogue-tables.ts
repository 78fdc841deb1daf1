import { toTokenId } from '../../core/ids.js'
import type { ArchiveColumn } from '../parquet/column-types.js'
import { type ArchiveTable, type SqlColumn, sqlTable } from './archive-table.js'
import type { StoredColumn } from './stored-columns.js'

/** The tables of the catalogue that a restored database needs, and the order of their rows. */
export const CATALOGUE_KEYS: Readonly<Record<string, string>> = {
  series: 'id',
  tags: 'id',
  events: 'id',
  event_tags: 'event, place',
  markets: 'id',
}

/** Under which names analysts look for them, where ours are shorter. */
const NAMES: Readonly<Record<string, string>> = {
  'markets.condition': 'condition_id',
  'markets.tokens': 'token_ids',
}

/** Coin prices, which have more digits than money. */
const COIN_PRICES = new Set(['price_to_beat', 'final_price'])

const MICROS = 1_000_000

/** The catalogue as it is when a day is archived, whole: Gamma keeps no history of it. */
export const catalogueTables = (stored: readonly StoredColumn[]): ArchiveTable[] =>
  Object.entries(CATALOGUE_KEYS).map(([table, key]) =>
    sqlTable({
      name: table,
      follows: 'catalogue',
      columns: stored.filter((column) => column.table === table).map(showCatalogue),
      from: `${table} f order by ${key}`,
      parameters: () => [],
    }),
  )

export const catalogueNameOf = ({ table, name }: StoredColumn): string => NAMES[`${table}.${name}`] ?? name

/** Numbers of Gamma are rounded to six decimals; ids of the chain are text, as in the facts. */
export function showCatalogue(stored: StoredColumn): SqlColumn {
  const { name, type, isNullable } = stored
  const sql = `f.${name}`
  const shown = { name: catalogueNameOf(stored), isNullable, isList: type.endsWith('[]') }
  const show = (of: ArchiveColumn['type'], how: string, convert?: SqlColumn['convert']): SqlColumn => ({
    ...shown,
    type: of,
    sql: how,
    convert,
  })
  switch (type) {
    case 'integer':
    case 'smallint':
      return show('integer', sql)
    case 'boolean':
      return show('boolean', sql)
    case 'text':
    case 'text[]':
      return show('text', sql)
    case 'date':
      return show('day', `${sql} - date '1970-01-01'`)
    case 'timestamp with time zone':
      return show('time', `(extract(epoch from ${sql}) * ${MICROS})::bigint`)
    case 'numeric':
      if (COIN_PRICES.has(name)) return show('float', `${sql}::float8`)
      return show('money', `round(${sql} * ${MICROS})::text`, (value) => BigInt(String(value)))
    case 'numeric[]':
      return show(
        'money',
        `(select array_agg(round(n * ${MICROS})::text order by place)
                               from unnest(${sql}) with ordinality as each (n, place))`,
        (value) => (value as string[]).map(BigInt),
      )
    case 'bytea':
      return show('text', `'0x' || encode(${sql}, 'hex')`)
    case 'bytea[]':
      return show(
        'text',
        `array(select '0x' || encode(n, 'hex')
                                   from unnest(${sql}) with ordinality as each (n, place) order by place)`,
        (value) => (value as string[]).map(toTokenId),
      )
    default:
      throw new Error(`the archive knows no columns of type ${type}`)
  }
}
