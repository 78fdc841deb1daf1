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

/** Keeps the public name of a wallet for the search; another wallet may have had it. */
export async function upsertUsername(
  sql: Sql,
  { wallet, name, nowMs }: { wallet: string; name: string; nowMs: number },
): Promise<void> {
  await sql`
    insert into usernames (wallet, name, seen_at) values (${hexToBytes(wallet)}, ${name}, ${new Date(nowMs)})
    on conflict (wallet) do update set name = excluded.name, seen_at = excluded.seen_at`
}

/** For a wallet whose owner has hidden the name. Index: usernames_pkey. */
export async function deleteUsername(sql: Sql, wallet: string): Promise<void> {
  await sql`delete from usernames where wallet = ${hexToBytes(wallet)}`
}

/** Forgets names that were not seen since. Index: usernames_seen_at. */
export async function deleteOldUsernames(sql: Sql, beforeMs: number): Promise<void> {
  await sql`delete from usernames where seen_at < ${new Date(beforeMs)}`
}
