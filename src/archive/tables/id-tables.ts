import type { IdTable } from '../../chain/ids/queries.js'
import { type ArchiveTable, type SqlColumn, sqlTable } from './archive-table.js'
import { NATURAL_IDS } from './id-columns.js'

/**
 * The ids that the facts of a day named first: what a key of another table stands for. A token is there again on the
 * day on which a log stated its condition, and before that day without it.
 */
export const ID_FILES: readonly ArchiveTable[] = [
  idTable('wallets', 'wallet', 'bytes20'),
  sqlTable({
    name: 'tokens',
    follows: 'facts',
    columns: [
      ...columnsOf('tokens', 'token', 'bytes32'),
      {
        name: 'condition_key',
        type: 'integer',
        sql: 'case when stated.known then i.condition end',
        isNullable: true,
      },
      { name: 'condition_id', type: 'text', sql: "'0x' || encode(c.condition, 'hex')", isNullable: true },
      {
        name: 'outcome',
        type: 'integer',
        sql: 'case when stated.known then i.outcome end',
        isNullable: true,
      },
      {
        name: 'stated_in',
        type: 'integer',
        sql: 'case when stated.known then i.stated_in end',
        isNullable: true,
      },
    ],
    from: `tokens i
     cross join lateral (select i.stated_in <= $4 as known) stated
      left join conditions c on c.id = i.condition and stated.known
     where i.id > 0 and (i.since between $1 and $2 or i.stated_in between $3 and $4)
     order by i.id`,
    parameters: ({ fromSeq, toSeq, fromBlock, toBlock }) => [fromSeq, toSeq, fromBlock, toBlock],
  }),
  idTable('conditions', 'condition', 'bytes32'),
  idTable('builders', 'builder', 'bytes32'),
]

function idTable(table: IdTable, one: string, type: 'bytes20' | 'bytes32'): ArchiveTable {
  return sqlTable({
    name: table,
    follows: 'facts',
    columns: columnsOf(table, one, type),
    // The zero address is in every database.
    from: `${table} i where i.id > 0 and i.since between $1 and $2 order by i.id`,
    parameters: ({ fromSeq, toSeq }) => [fromSeq, toSeq],
  })
}

function columnsOf(table: IdTable, one: string, type: 'bytes20' | 'bytes32'): SqlColumn[] {
  const { column, suffix, toText } = NATURAL_IDS[table]
  return [
    { name: `${one}_key`, type: 'integer', sql: 'i.id' },
    {
      name: `${one}${suffix}`,
      type: 'text',
      sql: `'0x' || encode(i.${column}, 'hex')`,
      convert: (hex) => toText(String(hex)),
    },
    { name: `${one}_bytes`, type, sql: `i.${column}` },
    { name: 'since_seq', type: 'bigint', sql: 'i.since' },
  ]
}
