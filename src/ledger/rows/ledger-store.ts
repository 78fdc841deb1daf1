import assert from 'node:assert/strict'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { blockOf } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import type { Books, PnlRow } from '../books.js'
import { dayOf } from '../builder.js'
import { hourOf, minuteOf } from '../candle.js'
import type { Entry } from '../entry.js'
import { fold } from '../fold.js'
import { type Outcomes, requestRows } from './entry-rows.js'
import { insertPnl, preferIndexes, writeRows } from './queries.js'
import { createRowCaches, type RowCaches } from './row-cache.js'
import { NO_BLOCK, UndoJournal } from './undo-journal.js'

export type LedgerLimits = {
  /** Cached positions between batches; the other tables keep a share of it. */
  positionsMax?: number
}

/** An entry that was not booked, and why. */
export type RefusedEntry = { seq: number; reason: string }

const POSITIONS_MAX = 125_000

/** Entries that are folded before the ledger yields to the event loop. */
const ENTRIES_PER_YIELD = 500

/**
 * The ledger's tables with caches of bounded size. For each batch the caller uses, in this order:
 * `addNewWallet` and `addNewToken` for ids that the batch names first; `load`; `foldEntries`, or for
 * each block `startBlock` and its entries through the fold; `write`; commit. Only then may the next
 * batch be loaded. After an error, a rollback or a reorganisation the caller uses `forget`.
 */
export class LedgerStore implements Books {
  readonly rows: RowCaches
  readonly #outcomes: Outcomes
  readonly #journal = new UndoJournal()
  #pnl: PnlRow[] = []
  #refusals: RefusedEntry[] = []
  /** Unix time of the latest entry that was loaded, 0 for none. */
  #loadedSec = 0

  constructor(outcomes: Outcomes, { positionsMax = POSITIONS_MAX }: LedgerLimits = {}) {
    this.rows = createRowCaches(this.#journal, positionsMax)
    this.#outcomes = outcomes
  }

  /** Cached rows of all tables. */
  get residentRows(): number {
    return Object.values(this.rows).reduce((sum, cache) => sum + cache.size, 0)
  }

  /** The wallet got its id just now, so it has no rows. Ids are assigned in ascending order. */
  addNewWallet(wallet: number): void {
    this.rows.positions.absent.addNewFirst(wallet)
    this.rows.walletTotals.absent.addNewFirst(wallet)
    this.rows.comboTotals.absent.addNewFirst(wallet)
    this.rows.builderWallets.absent.addNewSecond(wallet)
  }

  addNewToken(token: number): void {
    this.rows.positions.absent.addNewSecond(token)
    this.rows.supplies.absent.addNewFirst(token)
    this.rows.lastPrices.absent.addNewFirst(token)
    this.rows.minuteCandles.absent.addNewFirst(token)
    this.rows.hourCandles.absent.addNewFirst(token)
    this.rows.tokenTotals.absent.addNewFirst(token)
  }

  /** Loads every row that folding these entries may touch. */
  async load(sql: Sql, entries: Iterable<Entry>): Promise<void> {
    if (this.#loadedSec > 0) this.#addNewTimes()
    for (const entry of entries) {
      requestRows(this.rows, this.#outcomes, entry)
      if (entry.timeSec > this.#loadedSec) this.#loadedSec = entry.timeSec
    }
    await Promise.all(Object.values(this.rows).map((cache) => cache.load(sql)))
  }

  /** Time does not run backwards: no row is of a later minute, hour or day than what was loaded last. */
  #addNewTimes(): void {
    this.rows.minuteCandles.absent.addNewSecond(minuteOf(this.#loadedSec) + 1)
    this.rows.hourCandles.absent.addNewSecond(hourOf(this.#loadedSec) + 1)
    this.rows.builderDays.absent.addNewSecond(dayOf(this.#loadedSec) + 1)
  }

  /** The changes that follow belong to this block; with a journal `revertLedger` can undo them. */
  startBlock(block: number, isJournalled: boolean): void {
    this.#journal.startBlock(block, isJournalled)
  }

  /** Folds loaded entries block by block, and lets the event loop run in between. */
  async foldEntries(entries: readonly Entry[], isJournalled: (block: number) => boolean): Promise<void> {
    let block = Number.NaN
    let entriesLeft = ENTRIES_PER_YIELD
    for (const entry of entries) {
      const entryBlock = blockOf(entry.seq)
      if (entryBlock !== block) this.startBlock(entryBlock, isJournalled(entryBlock))
      block = entryBlock
      fold(this, entry)
      if (--entriesLeft > 0) continue
      entriesLeft = ENTRIES_PER_YIELD
      await yieldToEventLoop()
    }
  }

  async write(tx: Sql): Promise<void> {
    const caches = Object.values(this.rows)
    const changes = caches.flatMap((cache) => cache.takeChanges())
    assert(changes.length === 0 || this.#journal.block !== NO_BLOCK, 'changes belong to a block')
    await preferIndexes(tx)
    await writeRows(tx, changes)
    await insertPnl(tx, this.#pnl)
    this.#pnl = []
    await this.#journal.write(tx)
    for (const cache of caches) cache.trim()
  }

  /** The entries that the fold refused since the last call. */
  takeRefusals(): RefusedEntry[] {
    const refusals = this.#refusals
    this.#refusals = []
    return refusals
  }

  /** Drops everything in memory. */
  forget(): void {
    for (const cache of Object.values(this.rows)) cache.clear()
    this.#journal.clear()
    this.#pnl = []
    this.#refusals = []
    this.#loadedSec = 0
  }

  isCombo(token: number): boolean {
    return this.#outcomes.isCombo(token)
  }

  conditionOf(token: number): number {
    return this.#outcomes.conditionOf(token, this.#journal.block)
  }

  tokensOf(condition: number): readonly number[] {
    return this.#outcomes.tokensOf(condition, this.#journal.block)
  }

  addPnl(row: PnlRow): void {
    this.#pnl.push(row)
  }

  refuse(seq: number, reason: string): void {
    this.#refusals.push({ seq, reason })
  }
}
