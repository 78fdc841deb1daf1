import { walletEntries } from '../chain/facts/entries.js'
import { idsOfEntry } from '../chain/facts/registry.js'
import { selectConditionsOf } from '../chain/ids/queries.js'
import { blockOf } from '../core/seq.js'
import type { PnlRow } from '../ledger/books.js'
import type { Entry } from '../ledger/entry.js'
import { fold } from '../ledger/fold.js'
import { MemoryBooks } from '../ledger/memory-books.js'
import { PNL_CAUSES } from '../ledger/rows/queries.js'
import { LEDGER_TABLES, type LedgerRow, type LedgerTableOf } from '../ledger/rows/tables.js'
import type { Sql } from '../store/connection.js'
import { type Comparison, compareRows } from './compare.js'
import { count, type Finding, Tally } from './finding.js'
import { type OutcomeSet, selectOutcomeSets } from './outcome-sets.js'
import type { Scope } from './scope.js'
import type { WalletGroups } from './wallet-groups.js'

/** Books the facts of the wallets again, and compares every row of theirs with what is stored. */
export async function checkWallets(
  sql: Sql,
  scope: Scope,
  { groups }: WalletGroups,
  onProgress: (wallets: number) => void,
): Promise<Finding[]> {
  const [positions, pnl] = [new Tally(), new Tally()]
  const [totals, comboTotals] = [new Tally(), new Tally()]
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
    compareRows(OF_TOTALS, stored.comboTotals, wanted(books.rows.comboTotals), comboTotals)
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
    comboTotals.toFinding(sql, 'combo totals', of(comboTotals.rows, 'row')),
  ])
}

const OF_POSITIONS = comparisonOf(LEDGER_TABLES.positions)
const OF_TOTALS = comparisonOf(LEDGER_TABLES.walletTotals)
const OF_STEPS: Comparison<Step> = {
  keys: ['wallet', 'token', 'seq', 'sub'],
  values: ['amount', 'cause'],
}

/** A row of `pnl` as it is stored. */
type Step = Omit<PnlRow, 'cause'> & { cause: number }

const toStep = (row: PnlRow): Step => ({ ...row, cause: PNL_CAUSES[row.cause] })

function comparisonOf<Row extends LedgerRow>(table: LedgerTableOf<Row>): Comparison<Row> {
  const fields = Object.keys(table.make(0, 0)) as (keyof Row & string)[]
  const keys = fields.splice(0, table.keys.length)
  return { keys, values: fields }
}

async function selectStored(sql: Sql, scope: Scope, wallets: readonly number[]) {
  const [positions, totals, comboTotals, steps] = await Promise.all([
    selectRowsOf(sql, LEDGER_TABLES.positions, wallets),
    selectRowsOf(sql, LEDGER_TABLES.walletTotals, wallets),
    selectRowsOf(sql, LEDGER_TABLES.comboTotals, wallets),
    selectSteps(sql, scope, wallets),
  ])
  return { positions, totals, comboTotals, steps }
}

function selectRowsOf<Row extends LedgerRow>(
  sql: Sql,
  { name, keys, values, seqs = [] }: LedgerTableOf<Row>,
  wallets: readonly number[],
): Promise<Row[]> {
  const columns = [...keys, ...values].map((column) => (seqs.includes(column) ? `${column}::float8` : column))
  return sql<Row[]>`
    select ${sql.unsafe(columns.join(', '))}
      from ${sql(name)}
     where wallet = any(${wallets}::integer[])`
}

function selectSteps(sql: Sql, { fromSeq, toSeq }: Scope, wallets: readonly number[]): Promise<Step[]> {
  return sql<Step[]>`
    select wallet, token, seq::float8, sub, amount, cause
      from pnl
     where wallet = any(${wallets}::integer[]) and seq between ${fromSeq} and ${toSeq}`
}

/**
 * What the stored facts of some wallets add up to. `unsure`: wallets of which the facts alone do not
 * say what the ledger did.
 */
async function deriveBooks(
  sql: Sql,
  { ledgerFrom, fromSeq, toSeq, refusedSeqs }: Scope,
  wallets: readonly number[],
) {
  const books = new MemoryBooks()
  const unsure = new Set<number>()
  const refused = new Set(refusedSeqs)
  for await (const entries of walletEntries(sql, wallets, { fromSeq, toSeq })) {
    const sets = await selectSets(sql, entries)
    for (const token of await selectCombos(sql, entries)) books.addCombo(token)
    for (const entry of entries) {
      const set = entry.kind === 'redemption' ? sets.get(entry.condition) : undefined
      if (set !== undefined && blockOf(entry.seq) >= set.statedIn) {
        books.addOutcomes(set.condition, set.tokens)
      }
      if (refused.has(entry.seq) || (set !== undefined && isDoubtful(entry, set, ledgerFrom))) {
        for (const wallet of idsOfEntry(entry).wallets) unsure.add(wallet)
      } else fold(books, entry)
    }
  }
  return { books, unsure }
}

async function selectCombos(sql: Sql, entries: readonly Entry[]): Promise<number[]> {
  const tokens = new Set(entries.flatMap((entry) => idsOfEntry(entry).tokens))
  const rows = await selectConditionsOf(sql, [...tokens])
  return rows.filter(({ isCombo }) => isCombo).map(({ id }) => id)
}

/** Of the conditions that are redeemed: nothing else of a wallet depends on what a token belongs to. */
async function selectSets(sql: Sql, entries: readonly Entry[]): Promise<ReadonlyMap<number, OutcomeSet>> {
  const conditions = new Set<number>()
  for (const entry of entries) if (entry.kind === 'redemption') conditions.add(entry.condition)
  const sets = conditions.size === 0 ? [] : await selectOutcomeSets(sql, conditions)
  return new Map(sets.map((set) => [set.condition, set]))
}

/**
 * Facts that are older than the ledger, and were read later, have stated the tokens: since when the
 * ledger itself had them is not known any more. Only several tokens share a payout by their outcomes,
 * and only a third outcome forbids a cost.
 */
const isDoubtful = (entry: Entry, { statedIn, tokens }: OutcomeSet, ledgerFrom: number): boolean =>
  statedIn < ledgerFrom &&
  entry.kind === 'redemption' &&
  entry.isUser &&
  (entry.tokens.length > 1 || tokens.length > 2)
