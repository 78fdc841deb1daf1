import { hexToBytes } from '../lib/hex.js'
import type { Sql } from '../store/connection.js'

/** The id of a wallet by its address. `undefined`: no fact names it. Index: wallets_address_key. */
export async function selectWalletId(sql: Sql, address: string): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select id from wallets where address = ${hexToBytes(address)}`
  return row?.id
}
