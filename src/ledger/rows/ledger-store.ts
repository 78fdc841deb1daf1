import assert from 'node:assert/strict'
import type { Sql } from '../../store/connection.js'
import type {
  Books,
  BuilderHour,
  BuilderWallet,
  LastPrice,
  MarketHour,
  PnlRow,
  Position,
  Reserve,
  Supply,
  WalletTotals,
} from '../books.js'
import type { Entry } from '../entry.js'
import { Journal, NO_BLOCK } from './journal.js'
import { insertPnl, preferIndexes } from './queries.js'
import { createShelves, type Shelves } from './shelves.js'
import { type Outcomes, wantRows } from './want-rows.js'
import { writeChanges } from './write-changes.js'

export type LedgerLimits = {
  /** Resident positions between batches; the other tables keep a share of it. */
  positionsMax?: number
}

export type Refusal = { seq: number; reason: string }

const POSITIONS_MAX = 125_000

/**
 * The ledger's state in the database, behind memory that is bounded. A batch goes like this:
 * `startWallet` and `startToken` for whatever it names first; `load`; for each block `startBlock`
 * and its entries through the fold; `write`; commit. Only then may the next batch be loaded. After
 * anything else (an error on the way, a rollback, a rewind) comes `forget`.
 */
export class LedgerStore implements Books {
  readonly #outcomes: Outcomes
  readonly #journal = new Journal()
  readonly #shelves: Shelves
  #pnl: PnlRow[] = []
  #refusals: Refusal[] = []

  constructor(outcomes: Outcomes, { positionsMax = POSITIONS_MAX }: LedgerLimits = {}) {
    this.#outcomes = outcomes
    this.#shelves = createShelves(this.#journal, positionsMax)
  }

  /** Rows in memory, of all tables. */
  get residentRows(): number {
    return Object.values(this.#shelves).reduce((sum, shelf) => sum + shelf.size, 0)
  }

  /** The wallet got its number just now: it has no rows. Numbers only ever ascend. */
  startWallet(wallet: number): void {
    this.#shelves.positions.startFirst(wallet)
    this.#shelves.walletTotals.startFirst(wallet)
    this.#shelves.builderWallets.startSecond(wallet)
  }

  startToken(token: number): void {
    this.#shelves.positions.startSecond(token)
    this.#shelves.supplies.startFirst(token)
    this.#shelves.lastPrices.startFirst(token)
  }

  /** Brings into memory whatever folding these entries may touch. */
  async load(sql: Sql, entries: Iterable<Entry>): Promise<void> {
    for (const entry of entries) wantRows(this.#shelves, this.#outcomes, entry)
    await Promise.all(Object.values(this.#shelves).map((shelf) => shelf.load(sql)))
  }

  /** What follows belongs to this block; with a journal it can be taken back by `rewindLedger`. */
  startBlock(block: number, isJournalled: boolean): void {
    this.#journal.startBlock(block, isJournalled)
  }

  async write(tx: Sql): Promise<void> {
    const shelves = Object.values(this.#shelves)
    const changes = shelves.flatMap((shelf) => shelf.takeChanges())
    assert(changes.length === 0 || this.#journal.block !== NO_BLOCK, 'changes belong to a block')
    await preferIndexes(tx)
    await writeChanges(tx, changes)
    await insertPnl(tx, this.#pnl)
    this.#pnl = []
    await this.#journal.write(tx)
    for (const shelf of shelves) shelf.trim()
  }

  /** What the fold refused since the last call. */
  takeRefusals(): Refusal[] {
    const refusals = this.#refusals
    this.#refusals = []
    return refusals
  }

  /** Trusts nothing in memory any more. */
  forget(): void {
    for (const shelf of Object.values(this.#shelves)) shelf.clear()
    this.#journal.clear()
    this.#pnl = []
    this.#refusals = []
  }

  position(wallet: number, token: number): Position {
    return this.#shelves.positions.take(wallet, token)
  }

  wallet(wallet: number): WalletTotals {
    return this.#shelves.walletTotals.take(wallet)
  }

  marketHour(condition: number, hour: number): MarketHour {
    return this.#shelves.marketHours.take(condition, hour)
  }

  builderHour(builder: number, hour: number): BuilderHour {
    return this.#shelves.builderHours.take(builder, hour)
  }

  builderWallet(builder: number, wallet: number): BuilderWallet {
    return this.#shelves.builderWallets.take(builder, wallet)
  }

  supply(token: number): Supply {
    return this.#shelves.supplies.take(token)
  }

  reserve(condition: number): Reserve {
    return this.#shelves.reserves.take(condition)
  }

  lastPrice(token: number): LastPrice {
    return this.#shelves.lastPrices.take(token)
  }

  peekPosition(wallet: number, token: number): Position | undefined {
    return this.#shelves.positions.peek(wallet, token)
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
