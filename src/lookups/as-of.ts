import { LEDGER_TABLES } from '../ledger/rows/tables.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'

const { name, keys, columns } = LEDGER_TABLES.positions

/** Which changes of positions may matter to a reader: `undefined` is every wallet or token. */
type Among = { wallet: number | undefined; tokens: readonly number[] | undefined }

/**
 * Positions as they were after a block, for cursors whose later pages must agree with the first. The undo
 * journal has each row as it was before a block changed it, so the earliest image above the block is
 * the row as of the block; rows without one have not changed. This is the table expression `changed`:
 * keys and images, null where there was no row. It is empty when the block is the head, and when the
 * journal does not reach back to the block: then a cursor goes on with the rows of now. Index: undo_pkey,
 * of which it reads the blocks since.
 */
export function changedPositions(sql: Sql, block: number, { wallet, tokens }: Among): Fragment {
  return sql`
    changed as materialized (
      select distinct on (key[1], key[2]) key[1]::integer as wallet, key[2]::integer as token, image
        from undo
       where block > ${block} and state = ${name}
         and ${block} >= (select u.block from undo_floor u)
         ${wallet === undefined ? sql`` : sql`and key[1] = ${wallet}`}
         ${tokens === undefined ? sql`` : sql`and key[2] = any(${[...tokens]}::bigint[])`}
       order by key[1], key[2], block
    )`
}

const COLUMNS = columns.map((column) => `p.${column.name}`).join(', ')

/** The images of `changed` as rows of positions. */
const IMAGES = `
  select ${keys.join(', ')}, ${columns
    .slice(keys.length)
    .map(({ bytes, name: column }, index) => {
      return `image[${index + 1}]::${bytes === 8 ? 'bigint' : 'integer'} as ${column}`
    })
    .join(', ')}
    from changed where image is not null`

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
  const reads = scans.flatMap(({ where, orderBy, limit }) => [
    sql`(select ${sql.unsafe(COLUMNS)} from positions p
          where ${where} and (p.wallet, p.token) not in (select c.wallet, c.token from changed c)
          ${orderBy} limit ${limit})`,
    sql`(select ${sql.unsafe(COLUMNS)} from (${sql.unsafe(IMAGES)}) p
          where ${where} ${orderBy} limit ${limit})`,
  ])
  return joinFragments(sql, reads, sql`union all`)
}
