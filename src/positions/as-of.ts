import { LEDGER_TABLES } from '../ledger/rows/tables.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'

const { name, keys, columns } = LEDGER_TABLES.positions

/** Which changes of positions may matter to a reader: `undefined` is every wallet or token. */
type Among = { wallet: number | undefined; tokens: readonly number[] | undefined }

/**
 * Positions as they were after a block, for walks whose later pages must agree with the first. The undo
 * journal has each row as it was before a block changed it, so the earliest image above the block is
 * the row as of the block; rows without one have not changed. It is a table expression `changed` with
 * the columns of positions and `was_there`; rows that did not exist yet have nulls. It is empty when
 * the block is the head, and when the journal does not reach back to the block: then a walk goes on
 * with the rows of now. Index: undo_pkey, of which it reads the blocks since.
 */
export function changedPositions(sql: Sql, block: number, { wallet, tokens }: Among): Fragment {
  const ofKeys = keys.map((key, index) => `key[${index + 1}]::integer as ${key}`)
  const ofImage = columns
    .slice(keys.length)
    .map(
      (column, index) =>
        `image[${index + 1}]::${column.bytes === 8 ? 'bigint' : 'integer'} as ${column.name}`,
    )
  return sql`
    changed as materialized (
      select distinct on (key) ${sql.unsafe([...ofKeys, ...ofImage].join(', '))},
             image is not null as was_there
        from undo
       where block > ${block} and state = ${name}
         and ${block} >= (select u.block from undo_floor u)
         ${wallet === undefined ? sql`` : sql`and key[1] = ${wallet}`}
         ${tokens === undefined ? sql`` : sql`and key[2] = any(${[...tokens]}::bigint[])`}
       order by key, block
    )`
}

type Scan = {
  /** Conditions on `p`. */
  where: Fragment
  orderBy: Fragment
  limit: number
}

/**
 * Rows of positions (`p`) as of the block of `changedPositions`, at most `limit` for each scan, in no
 * order. Each scan reads its index in order; rows that changed since take part with their image.
 */
export function scanPositions(sql: Sql, scans: readonly Scan[]): Fragment {
  const all = sql.unsafe(columns.map((column) => `p.${column.name}`).join(', '))
  const parts = scans.flatMap(({ where, orderBy, limit }) => [
    sql`(select ${all} from positions p
          where ${where} and (p.wallet, p.token) not in (select c.wallet, c.token from changed c)
          ${orderBy} limit ${limit})`,
    sql`(select ${all} from changed p where p.was_there and ${where} ${orderBy} limit ${limit})`,
  ])
  return joinFragments(sql, parts, sql`union all`)
}
