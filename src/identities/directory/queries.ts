import type { Sql } from '../../store/connection.js'
import { fromHex, hex, selectBytes } from '../../store/sql-words.js'
import type { WalletType } from '../identity.js'

/** What the database says of an address that a fact or a name knows. Addresses are hex text. */
export type KnownAddress = {
  address: string
  username: string | null
  /** The key whose wallet it is; null: no factory logged it. */
  owner: string | null
  type: WalletType | null
  /** Whether a factory logged a wallet for it: it is a key. */
  isKey: boolean
}

/**
 * In no order; unknown addresses are left out. Indexes: wallets_address_key, usernames_pkey, wallet_owners_wallet,
 * wallet_owners_owner, for each address.
 */
export const selectKnownAddresses = (sql: Sql, addresses: readonly string[]) => sql<KnownAddress[]>`
  select asked.text as address, u.name as username, ${hex(sql, 'o.address')} as owner, f.kind as type,
         exists (select from wallet_owners made where made.owner = w.id) as is_key
    from unnest(${[...addresses]}::text[]) as asked (text)
    left join wallets w on w.address = ${fromHex(sql, 'asked.text')}
    left join usernames u on u.wallet = ${fromHex(sql, 'asked.text')}
    left join lateral (select owner, kind from wallet_owners where wallet = w.id limit 1) f on true
    left join wallets o on o.id = f.owner
   where w.id is not null or u.wallet is not null`

/** Those of the addresses that a fact names. Index: wallets_address_key. */
export async function selectNamedAddresses(sql: Sql, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ address: string }[]>`
    select ${hex(sql, 'address')} as address from wallets where address in (${selectBytes(sql, addresses)})`
  return new Set(rows.map(({ address }) => address))
}

export type FoundUsername = { wallet: string; name: string }

/** How many matching names are sorted; the others are left out. */
const COLLECTED_NAMES_MAX = 500

/**
 * Wallets whose public name has this lower-case text: the same name first, then those that begin with it, in the order of
 * names. Two letters find beginnings alone, because the index on any part needs three. Indexes: usernames_name,
 * usernames_trigrams.
 */
export const selectUsernames = (sql: Sql, text: string, limit: number) => sql<FoundUsername[]>`
  with found as materialized (
    (select name, wallet from usernames
      where lower(name) collate "C" >= ${text} and lower(name) collate "C" < ${text} || chr(1114111)
      order by lower(name) collate "C", wallet
      limit ${limit})
    union
    (select name, wallet from usernames
      where ${[...text].length > 2} and lower(name) like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}
      limit ${COLLECTED_NAMES_MAX})
  )
  select name, ${hex(sql, 'wallet')} as wallet
    from found
   order by lower(name) <> ${text}, not starts_with(lower(name), ${text}), lower(name) collate "C", wallet
   limit ${limit}`
