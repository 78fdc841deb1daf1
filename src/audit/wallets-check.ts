import type { PnlRow, Position, WalletTotals } from '../ledger/books.js'
import { PNL_CAUSES } from '../ledger/rows/queries.js'
import {
  type LedgerRow,
  type LedgerTableOf,
  POSITIONS,
  WALLET_TOTALS,
} from '../ledger/rows/tables.js'
import type { Sql } from '../store/connection.js'
import { type Comparison, compareRows } from './compare-rows.js'
import { deriveBooks } from './derive-books.js'
import { count, type Finding, Tally } from './finding.js'
import type { Scope } from './scope.js'
import type { WalletGroups } from './wallet-groups.js'

/** Books the facts of the wallets again, and compares every row of theirs with what is stored. */
export async function checkWallets(
  sql: Sql,
  scope: Scope,
  { groups }: WalletGroups,
  onProgress: (wallets: number) => void,
): Promise<Finding[]> {
  const [positions, pnl, totals] = [new Tally(), new Tally(), new Tally()]
  let wallets = 0
  let leftOut = 0
  for await (const group of groups) {
    const { books, unsure } = await deriveBooks(sql, scope, group)
    const sure = group.filter((wallet) => !unsure.has(wallet))
    const isWanted = new Set(sure)
    const wanted = <Row extends { wallet: number }>(rows: Iterable<Row>) =>
      [...rows].filter(({ wallet }) => isWanted.has(wallet))
    const stored = await selectStored(sql, scope, sure)
    compareRows(OF_POSITIONS, stored.positions, wanted(books.rows.positions), positions)
    compareRows(OF_STEPS, stored.steps, wanted(books.pnl).map(toStep), pnl)
    compareRows(OF_TOTALS, stored.totals, wanted(books.rows.walletTotals), totals)
    wallets += sure.length
    leftOut += group.length - sure.length
    onProgress(wallets + leftOut)
  }
  const of = (rows: number, what: string) =>
    `${count(rows, what)} of ${count(wallets, 'wallet')}${leftOut === 0 ? '' : `, ${leftOut} left out`}`
  return Promise.all([
    positions.toFinding(sql, 'positions', of(positions.rows, 'row')),
    pnl.toFinding(sql, 'profit and loss', of(pnl.rows, 'step')),
    totals.toFinding(sql, 'wallet totals', of(totals.rows, 'row')),
  ])
}

const OF_POSITIONS: Comparison<Position> = comparisonOf(POSITIONS, ['wallet', 'token'])
const OF_TOTALS: Comparison<WalletTotals> = comparisonOf(WALLET_TOTALS, ['wallet'])
const OF_STEPS: Comparison<Step> = {
  keys: ['wallet', 'token', 'seq', 'sub'],
  values: ['amount', 'cause'],
}

/** A row of `pnl` as it is stored. */
type Step = Omit<PnlRow, 'cause'> & { cause: number }

const toStep = (row: PnlRow): Step => ({ ...row, cause: PNL_CAUSES[row.cause] })

function comparisonOf<Row extends LedgerRow>(
  table: LedgerTableOf<Row>,
  keys: readonly (keyof Row & string)[],
): Comparison<Row> {
  const columns = Object.keys(table.make(0, 0)) as (keyof Row & string)[]
  return { keys, values: columns.filter((column) => !keys.includes(column)) }
}

async function selectStored(sql: Sql, scope: Scope, wallets: readonly number[]) {
  const [positions, totals, steps] = await Promise.all([
    selectRowsOf(sql, POSITIONS, wallets),
    selectRowsOf(sql, WALLET_TOTALS, wallets),
    selectSteps(sql, scope, wallets),
  ])
  return { positions, totals, steps }
}

function selectRowsOf<Row extends LedgerRow>(
  sql: Sql,
  { name, keys, values, seqs = [] }: LedgerTableOf<Row>,
  wallets: readonly number[],
): Promise<Row[]> {
  const columns = [...keys, ...values].map((column) =>
    seqs.includes(column) ? `${column}::float8` : column,
  )
  return sql<Row[]>`
    select ${sql.unsafe(columns.join(', '))}
      from ${sql(name)}
     where wallet = any(${wallets}::integer[])`
}

function selectSteps(
  sql: Sql,
  { fromSeq, toSeq }: Scope,
  wallets: readonly number[],
): Promise<Step[]> {
  return sql<Step[]>`
    select wallet, token, seq::float8, sub, amount, cause
      from pnl
     where wallet = any(${wallets}::integer[]) and seq between ${fromSeq} and ${toSeq}`
}
