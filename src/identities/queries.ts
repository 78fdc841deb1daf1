import { hexToBytes } from '../lib/hex.js'
import type { Sql } from '../store/connection.js'
import { hex, selectBytes } from '../store/sql-words.js'

/** What the chain's logs say about an address. */
export type AddressFacts = {
  /** The key whose wallet it is; null: no factory logged it. */
  owner: string | null
  /** Whether any fact names it: it traded, owns a wallet, or tokens came to it. */
  isNamed: boolean
}

/** One row of each index: wallets_address_key, wallet_owners_wallet, wallets_pkey. */
export async function selectAddressFacts(sql: Sql, address: string): Promise<AddressFacts> {
  const [row] = await sql<{ owner: string | null }[]>`
    select (select ${hex(sql, 'o.address')}
              from wallet_owners f
              join wallets o on o.id = f.owner
             where f.wallet = w.id
             limit 1) as owner
      from wallets w
     where w.address = ${hexToBytes(address)}`
  return { owner: row?.owner ?? null, isNamed: row !== undefined }
}

/** Those of the addresses that a factory logged as wallets. Index: wallet_owners_wallet. */
export async function selectLoggedWallets(sql: Sql, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ address: string }[]>`
    select ${hex(sql, 'w.address')} as address
      from wallets w
     where w.address in (${selectBytes(sql, addresses)})
       and exists (select from wallet_owners f where f.wallet = w.id)
     order by w.address
     limit ${addresses.length}`
  return new Set(rows.map(({ address }) => address))
}
