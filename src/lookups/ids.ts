import { hexToBytes } from '../lib/hex.js'
import type { Sql } from '../store/connection.js'

/** The id of a wallet by its address. `undefined`: no fact names it. Index: wallets_address_key. */
export async function selectWalletId(sql: Sql, address: string): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select id from wallets where address = ${hexToBytes(address)}`
  return row?.id
}

/** The same for several addresses, in no order; unknown ones are left out. */
export async function selectWalletIds(sql: Sql, addresses: readonly string[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select w.id
      from unnest(${[...addresses]}::text[]) as wanted (address)
      join wallets w on w.address = decode(substr(wanted.address, 3), 'hex')`
  return rows.map(({ id }) => id)
}

/** The id of a builder by its code. `undefined`: no fill names it. Index: builders_code_key. */
export async function selectBuilderId(sql: Sql, code: string): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select id from builders where code = ${hexToBytes(code)}`
  return row?.id
}
