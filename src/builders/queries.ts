import { hexToBytes } from '../lib/hex.js'
import type { Sql } from '../store/connection.js'

/** The id of a builder by its code. `undefined`: no fill names it. Index: builders_code_key. */
export async function selectBuilderId(sql: Sql, code: string): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select id from builders where code = ${hexToBytes(code)}`
  return row?.id
}
