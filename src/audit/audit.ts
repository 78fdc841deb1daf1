import { LEDGER_TABLE_NAMES } from '../ledger/rows/tables.js'
import type { Pool, Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import { checkBalances, checkCounterparts } from './balance-checks.js'
import { checkBoards } from './board-checks.js'
import { checkCollateral } from './collateral-check.js'
import { checkDerivedIds } from './derived-ids.js'
import type { Finding } from './finding.js'
import { checkHoldings } from './holdings-check.js'
import { checkIds } from './id-checks.js'
import { checkImages } from './journal-check.js'
import { checkFees, checkMatches, checkTransactions } from './match-checks.js'
import { checkResults } from './result-check.js'
import { EVERYTHING, readScope, type Scope, type Span } from './scope.js'
import { checkBuilderBoard, checkComboBoards, checkCopyScores, checkStats } from './snapshot-checks.js'
import {
  checkBuilderDays,
  checkBuilderTotals,
  checkBuilderWallets,
  checkCandles,
  checkLastPrices,
  checkReserves,
  checkSupplies,
  checkTokenTotals,
} from './sum-checks.js'
import {
  checkBlocksOfFacts,
  checkCoverage,
  checkJournal,
  checkLinks,
  checkNothingAbove,
  checkPartitions,
} from './table-checks.js'
import { chooseWallets, type WalletChoice } from './wallet-groups.js'
import { checkWallets } from './wallets-check.js'
import { checkDigests, checkEventLog, checkNames } from './written-checks.js'

export type AuditPlan = {
  wallets: WalletChoice
  span: Span
  signal?: AbortSignal | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
}

/** With those that a rebuild of the ledger truncates. */
const AUDITED_TABLES = [...LEDGER_TABLE_NAMES, 'pnl', 'combo_markets', 'combo_pnl']

/**
 * Compares what the database says of the chain with what its facts give, all of it as it is at one
 * moment: the block writer goes on meanwhile. With all wallets, every table of the ledger.
 */
export function audit(pool: Pool, plan: AuditPlan): Promise<Finding[]> {
  return transact(pool, async (tx) => {
    await tx`set transaction isolation level repeatable read read only`
    await tx`set local statement_timeout = 0`
    await tx`set local plan_cache_mode = force_custom_plan`
    await tx`set local jit = off`
    // Before the first look: a ledger that is swapped for a new one after it would seem empty.
    await tx.unsafe(`lock table ${AUDITED_TABLES.join(', ')} in access share mode`)
    return auditState(tx, plan)
  })
}

/** In a transaction that sees one state. */
export async function auditState(tx: Sql, plan: AuditPlan): Promise<Finding[]> {
  const scope = await readScope(tx)
  if (scope === undefined) return [note('ledger', 'nothing is booked yet')]
  const findings = await runChecks(TABLE_CHECKS, tx, scope, plan)
  if (findings.some(({ check, differences }) => check === 'blocks of facts' && differences > 0)) {
    return [...findings, note('positions', 'nothing: facts without a block have no time')]
  }
  return [...findings, ...(await runChecks(chooseChecks(scope, plan), tx, scope, plan))]
}

export type AuditCheck = (tx: Sql, scope: Scope, plan: AuditPlan) => Promise<Finding | Finding[]>

/** Invariants of the tables: these checks recompute nothing. */
export const TABLE_CHECKS: readonly AuditCheck[] = [
  (tx, scope, { span }) => checkCoverage(tx, scope, span.blocks),
  checkLinks,
  checkJournal,
  checkPartitions,
  checkNothingAbove,
  (tx, _scope, { span }) => checkBlocksOfFacts(tx, span.blocks),
  (tx, scope, { span }) => checkBalances(tx, scope, span.tokens),
  (tx, scope, { span }) => checkHoldings(tx, scope, span.tokens),
  (tx, scope, { span }) => checkCollateral(tx, scope, span.conditions),
  (tx, scope, { span }) => checkResults(tx, scope, span.conditions),
]

/** Checks of facts against each other: they read all facts of the blocks. */
const FACT_CHECKS: readonly AuditCheck[] = [
  (tx, scope, { span }) => checkMatches(tx, scope, span.blocks),
  (tx, scope, { span }) => checkFees(tx, scope, span.blocks),
  (tx, scope, { span }) => checkTransactions(tx, scope, span.blocks),
  (tx, scope, { span }) => checkDigests(tx, scope, span.blocks),
]

const SUM_CHECKS: readonly AuditCheck[] = [
  checkIds,
  checkDerivedIds,
  checkNames,
  checkSupplies,
  checkEventLog,
  checkBoards,
  checkStats,
  checkBuilderBoard,
  checkComboBoards,
  checkCopyScores,
]

/** Checks of sums over all facts since the first block. */
const WHOLE_SUM_CHECKS: readonly AuditCheck[] = [
  checkCounterparts,
  checkReserves,
  checkLastPrices,
  checkCandles,
  checkTokenTotals,
  checkBuilderTotals,
  checkBuilderDays,
  checkBuilderWallets,
]

/** The checks of a plan that follow those of tables, in order. */
export function chooseChecks(scope: Scope, { wallets, span }: AuditPlan): AuditCheck[] {
  const isAll = wallets.kind === 'all'
  const lacksFacts = async () => note('sums', 'nothing: the oldest facts were dropped')
  const sums = [...SUM_CHECKS, ...(scope.isWhole ? WHOLE_SUM_CHECKS : [lacksFacts])]
  return [
    checkImages,
    ...(isAll || span !== EVERYTHING ? FACT_CHECKS : []),
    checkChosenWallets,
    ...(isAll ? sums : []),
  ]
}

async function checkChosenWallets(
  tx: Sql,
  scope: Scope,
  { wallets, signal, onProgress }: AuditPlan,
): Promise<Finding[]> {
  const chosen = await chooseWallets(tx, scope, wallets)
  return checkWallets(tx, scope, chosen, (done) => {
    signal?.throwIfAborted()
    onProgress?.(done, chosen.total)
  })
}

async function runChecks(
  checks: readonly AuditCheck[],
  tx: Sql,
  scope: Scope,
  plan: AuditPlan,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const check of checks) {
    plan.signal?.throwIfAborted()
    findings.push(...[await check(tx, scope, plan)].flat())
  }
  return findings
}

const note = (check: string, coverage: string): Finding => ({
  check,
  coverage,
  differences: 0,
  examples: [],
})
