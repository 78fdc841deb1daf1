import { type IdTable, NAME_COLUMNS } from '../chain/ids/queries.js'
import { toTokenId } from '../core/ids.js'
import type { Sql } from '../store/connection.js'

/** The natural ids of these ids: addresses, decimal token ids, and 32 bytes as hex text. */
export async function selectNames(
  sql: Sql,
  ids: ReadonlyMap<IdTable, ReadonlySet<number>>,
): Promise<(table: IdTable, id: number) => string> {
  const names = new Map<string, string>()
  for (const [table, wanted] of ids) {
    if (wanted.size === 0) continue
    const found = await sql<{ id: number; name: string }[]>`
      select id, '0x' || encode(${sql(NAME_COLUMNS[table])}, 'hex') as name
        from ${sql(table)}
       where id = any(${[...wanted]}::integer[])`
    for (const { id, name } of found) {
      names.set(`${table} ${id}`, table === 'tokens' && name !== '0x' ? toTokenId(name) : name)
    }
  }
  return (table, id) => names.get(`${table} ${id}`) ?? `number ${id} (without a name)`
}
