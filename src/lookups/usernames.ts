import type { Sql } from '../store/connection.js'
import { hex, selectBytes } from '../store/sql-words.js'

/** Adds to each row the public name of its wallet that was resolved before; empty: none was. Index: usernames_pkey. */
export async function withUsernames<Row extends object>(
  sql: Sql,
  rows: readonly Row[],
  walletOf: (row: Row) => string,
): Promise<(Row & { username: string })[]> {
  const wallets = [...new Set(rows.map(walletOf))]
  const found = await sql<{ wallet: string; name: string }[]>`
    select ${hex(sql, 'wallet')} as wallet, name from usernames where wallet in (${selectBytes(sql, wallets)})`
  const byWallet = new Map(found.map(({ wallet, name }) => [wallet, name]))
  return rows.map((row) => ({ ...row, username: byWallet.get(walletOf(row)) ?? '' }))
}
