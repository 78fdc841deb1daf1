import assert from 'node:assert/strict'
import type { Sql } from '../../store/connection.js'
import { AbsentKeys } from './fast/absent-keys.js'
import { type Slot, SlotTable } from './fast/slot-table.js'
import { type RowChanges, selectRows } from './queries.js'
import { LEDGER_TABLES, type LedgerRow, type LedgerTableOf, toIds, toKey } from './tables.js'
import type { UndoJournal } from './undo-journal.js'

/** Few enough for a slow disk to find them well within the statement timeout. */
const ROWS_PER_QUERY = 20_000

/**
 * The rows of one table that are in memory. The rows that a batch may touch are requested and loaded
 * before its entries are folded. Rows are evicted by generation: a generation ends when half of the
 * cache's capacity has been requested in it, and rows that were not requested in it are dropped.
 */
export class RowCache<Row extends LedgerRow> {
  readonly absent: AbsentKeys
  readonly #table: LedgerTableOf<Row>
  readonly #journal: UndoJournal
  readonly #generationMax: number
  #slots = new SlotTable<Row>()
  #generation = 0
  /** Slots that were requested in this generation. */
  #generationSize = 0
  #missing: Slot<Row>[] = []
  #changed: Slot<Row>[] = []

  constructor(table: LedgerTableOf<Row>, journal: UndoJournal, positionsMax: number) {
    const rowsMax = positionsMax * table.share
    this.#table = table
    this.#journal = journal
    this.absent = new AbsentKeys(rowsMax)
    this.#generationMax = Math.floor(rowsMax / 2)
  }

  get size(): number {
    return this.#slots.size
  }

  /** The next fold may touch the row: `load` selects it unless it is here or cannot exist. */
  request(first: number, second = 0): void {
    const key = toKey(this.#table, first, second)
    const slot = this.#slots.get(key)
    if (slot !== undefined) {
      if (slot.generation === this.#generation) return
      slot.generation = this.#generation
      this.#generationSize++
    } else if (!this.absent.has(first, second, key)) {
      this.#missing.push(this.#add(key))
    }
  }

  async load(sql: Sql): Promise<void> {
    const missing = this.#missing
    this.#missing = []
    for (let from = 0; from < missing.length; from += ROWS_PER_QUERY)
      await this.#loadSome(sql, missing.slice(from, from + ROWS_PER_QUERY))
  }

  /** Marks the row as changed; one that does not exist is created. */
  open(first: number, second = 0): Row {
    const key = toKey(this.#table, first, second)
    const slot = this.#slots.get(key) ?? this.#addAbsent(first, second, key)
    if (!slot.isChanged) {
      slot.isChanged = true
      this.#changed.push(slot)
    }
    const wasThere = slot.row !== undefined
    const row = slot.row ?? this.#table.make(first, second)
    slot.row = row
    const journal = this.#journal
    if (journal.isOn && slot.journalledBlock !== journal.block) {
      slot.journalledBlock = journal.block
      journal.add(this.#table, row, wasThere)
    }
    return row
  }

  /** The rows to write; from now on they count as stored. */
  takeChanges(): RowChanges[] {
    const added: Row[] = []
    const updated: Row[] = []
    for (const slot of this.#changed) {
      const rows = slot.isStored ? updated : added
      if (slot.row !== undefined) rows.push(slot.row)
      slot.isStored = true
      slot.isChanged = false
    }
    this.#changed = []
    const table = this.#table
    const changes = [
      { table, isNew: true, rows: added },
      { table, isNew: false, rows: updated },
    ]
    return changes.filter(({ rows }) => rows.length > 0)
  }

  /** Evicts rows down to the bound. The caller has written all changes before. */
  trim(): void {
    if (this.#generationSize <= this.#generationMax) return
    const slots = this.#slots
    this.#slots = new SlotTable(Math.min(slots.size, this.#generationMax * 2))
    for (const slot of slots.all()) {
      const stays = slot.generation === this.#generation && this.#slots.size < this.#generationMax
      if (stays) this.#slots.add(slot)
      else if (slot.row !== undefined) this.absent.evict(...toIds(this.#table, slot.key), slot.key)
    }
    this.#generation++
    this.#generationSize = 0
  }

  clear(): void {
    this.absent.clear()
    this.#slots = new SlotTable()
    this.#generationSize = 0
    this.#missing = []
    this.#changed = []
  }

  async #loadSome(sql: Sql, missing: readonly Slot<Row>[]): Promise<void> {
    const keys = missing.map(({ key }) => toIds(this.#table, key))
    const { make, keys: columns } = this.#table
    for (const found of await selectRows<Row>(sql, this.#table, keys)) {
      const first = Number(found[columns[0]])
      const second = columns[1] === undefined ? 0 : Number(found[columns[1]])
      const slot = this.#slots.get(toKey(this.#table, first, second))
      assert(slot !== undefined, 'only requested rows are selected')
      // Copied into a row that `make` created, so that all rows have one hidden class.
      slot.row = Object.assign(make(first, second), found)
      slot.isStored = true
    }
  }

  #add(key: number): Slot<Row> {
    const slot: Slot<Row> = {
      key,
      row: undefined,
      isStored: false,
      isChanged: false,
      journalledBlock: -1,
      generation: this.#generation,
    }
    this.#slots.add(slot)
    this.#generationSize++
    return slot
  }

  #addAbsent(first: number, second: number, key: number): Slot<Row> {
    this.#checkAbsence(first, second, key)
    return this.#add(key)
  }

  /** A row that was not requested may exist in the database: creating it again would lose it. */
  #checkAbsence(first: number, second: number, key: number): void {
    if (this.absent.has(first, second, key)) return
    throw new Error(`${this.#table.name} ${first}/${second} is used and was not loaded`)
  }
}

export type RowCaches = ReturnType<typeof createRowCaches>

/** One cache for each table of the ledger. */
export const createRowCaches = (journal: UndoJournal, positionsMax: number) => ({
  positions: new RowCache(LEDGER_TABLES.positions, journal, positionsMax),
  walletTotals: new RowCache(LEDGER_TABLES.walletTotals, journal, positionsMax),
  comboTotals: new RowCache(LEDGER_TABLES.comboTotals, journal, positionsMax),
  minuteCandles: new RowCache(LEDGER_TABLES.minuteCandles, journal, positionsMax),
  hourCandles: new RowCache(LEDGER_TABLES.hourCandles, journal, positionsMax),
  tokenTotals: new RowCache(LEDGER_TABLES.tokenTotals, journal, positionsMax),
  builderTotals: new RowCache(LEDGER_TABLES.builderTotals, journal, positionsMax),
  builderDays: new RowCache(LEDGER_TABLES.builderDays, journal, positionsMax),
  builderWallets: new RowCache(LEDGER_TABLES.builderWallets, journal, positionsMax),
  supplies: new RowCache(LEDGER_TABLES.supplies, journal, positionsMax),
  reserves: new RowCache(LEDGER_TABLES.reserves, journal, positionsMax),
  lastPrices: new RowCache(LEDGER_TABLES.lastPrices, journal, positionsMax),
})
