import { OperatorError } from '../core/errors.js'
import type { Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'
import type { Scope } from './scope.js'

/** Which wallets are computed again: all, some at random, or those with these numbers. */
export type WalletChoice =
  | { kind: 'all' }
  | { kind: 'sample'; count: number }
  | { kind: 'named'; wallets: readonly number[] }

export type WalletGroups = { total: number; groups: AsyncIterable<readonly number[]> }

/** Their facts are in memory together. */
const GROUP_SIZE = 200

/**
 * The chosen wallets, some at a time. Those that the retention has dropped facts of are not among
 * them; nor are, unless they are named, the zero address and the exchanges.
 */
export async function chooseWallets(sql: Sql, scope: Scope, choice: WalletChoice): Promise<WalletGroups> {
  switch (choice.kind) {
    case 'all':
      return { total: await countWallets(sql, scope), groups: eachGroup(sql, scope) }
    case 'sample':
      return inGroups(await selectSample(sql, scope, choice.count))
    case 'named':
      await refuseDropped(sql, scope, choice.wallets)
      return inGroups(choice.wallets)
  }
}

function inGroups(wallets: readonly number[]): WalletGroups {
  async function* groups() {
    for (let start = 0; start < wallets.length; start += GROUP_SIZE) {
      yield wallets.slice(start, start + GROUP_SIZE)
    }
  }
  return { total: wallets.length, groups: groups() }
}

async function* eachGroup(sql: Sql, scope: Scope): AsyncGenerator<readonly number[]> {
  let after = 0
  for (;;) {
    const rows = await sql<{ id: number }[]>`
      select id
        from wallets
       where id > ${after} and ${canBeDerived(sql, scope)}
       order by id
       limit ${GROUP_SIZE}`
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(({ id }) => id)
    after = last.id
  }
}

async function countWallets(sql: Sql, scope: Scope): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from wallets where ${canBeDerived(sql, scope)}`
  return row?.count ?? 0
}

async function selectSample(sql: Sql, scope: Scope, count: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from wallets where ${canBeDerived(sql, scope)} order by random() limit ${count}`
  return rows.map(({ id }) => id)
}

async function refuseDropped(
  sql: Sql,
  { isWhole, keptSeq }: Scope,
  wallets: readonly number[],
): Promise<void> {
  if (isWhole) return
  const [row] = await sql<{ address: string }[]>`
    select ${hex(sql, 'address')} as address
      from wallets
     where id = any(${wallets}::integer[]) and since < ${keptSeq}
     limit 1`
  if (row === undefined) return
  throw new OperatorError(
    `Some facts of ${row.address} are older than the retention: it cannot be computed again.`,
  )
}

const canBeDerived = (sql: Sql, { isWhole, keptSeq, counterparts }: Scope) => sql`
  id <> all(${counterparts}::integer[]) ${isWhole ? sql`` : sql`and since >= ${keptSeq}`}`
