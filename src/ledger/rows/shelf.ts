import assert from 'node:assert/strict'
import type { Sql } from '../../store/connection.js'
import { FreshKeys } from './fresh-keys.js'
import type { Journal } from './journal.js'
import { selectRows } from './queries.js'
import { type Slot, SlotTable } from './slot-table.js'
import type { StateRow, StateTable } from './state-table.js'
import type { Change } from './write-changes.js'

/** So few that a slow disk finds them long before a statement has to end. */
const ROWS_PER_QUERY = 20_000

/**
 * The rows of one table that are in memory. What a batch may touch is asked for and loaded before
 * it is folded, and is let go when nobody asks for it while as many others are asked for as half
 * of the room holds.
 */
export class Shelf<Row extends StateRow> {
  readonly #table: StateTable<Row>
  readonly #journal: Journal
  readonly #fresh: FreshKeys
  readonly #generationMax: number
  #slots = new SlotTable<Row>()
  #generation = 0
  /** Slots that were asked for in this generation. */
  #generationSize = 0
  #missing: Slot<Row>[] = []
  #changed: Slot<Row>[] = []

  constructor(table: StateTable<Row>, journal: Journal, positionsMax: number) {
    const rowsMax = positionsMax * table.share
    this.#table = table
    this.#journal = journal
    this.#fresh = new FreshKeys(rowsMax)
    this.#generationMax = Math.floor(rowsMax / 2)
  }

  get size(): number {
    return this.#slots.size
  }

  /** The number was given just now: no row has it as its first key. */
  startFirst(id: number): void {
    this.#fresh.startFirst(id)
  }

  startSecond(id: number): void {
    this.#fresh.startSecond(id)
  }

  /** Says that the next fold may touch the row: `load` brings what is not here. */
  want(first: number, second = 0): void {
    const key = this.#keyOf(first, second)
    const slot = this.#slots.get(key)
    if (slot !== undefined) {
      if (slot.generation === this.#generation) return
      slot.generation = this.#generation
      this.#generationSize++
    } else if (!this.#fresh.isAbsent(first, second, key)) {
      this.#missing.push(this.#add(key))
    }
  }

  async load(sql: Sql): Promise<void> {
    const missing = this.#missing
    this.#missing = []
    for (let from = 0; from < missing.length; from += ROWS_PER_QUERY)
      await this.#loadSome(sql, missing.slice(from, from + ROWS_PER_QUERY))
  }

  /** Marks the row as changed; one that does not exist is made. */
  take(first: number, second = 0): Row {
    const key = this.#keyOf(first, second)
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

  peek(first: number, second = 0): Row | undefined {
    const key = this.#keyOf(first, second)
    const slot = this.#slots.get(key)
    if (slot === undefined) this.#checkAbsence(first, second, key)
    return slot?.row
  }

  /** What the database has to learn; from then on it counts as known there. */
  takeChanges(): Change[] {
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

  /** Keeps to the bound. Everything is written when it is called. */
  trim(): void {
    if (this.#generationSize <= this.#generationMax) return
    const slots = this.#slots
    this.#slots = new SlotTable(Math.min(slots.size, this.#generationMax * 2))
    for (const slot of slots.all()) {
      const stays = slot.generation === this.#generation && this.#slots.size < this.#generationMax
      if (stays) this.#slots.add(slot)
      else if (slot.row !== undefined) this.#letGo(slot.key)
    }
    this.#generation++
    this.#generationSize = 0
  }

  clear(): void {
    this.#fresh.clear()
    this.#slots = new SlotTable()
    this.#generationSize = 0
    this.#missing = []
    this.#changed = []
  }

  async #loadSome(sql: Sql, missing: readonly Slot<Row>[]): Promise<void> {
    const keys = missing.map(({ key }) => this.#idsOf(key))
    const { make, keys: columns } = this.#table
    for (const found of await selectRows<Row>(sql, this.#table, keys)) {
      const first = Number(found[columns[0]])
      const second = columns[1] === undefined ? 0 : Number(found[columns[1]])
      const slot = this.#slots.get(this.#keyOf(first, second))
      assert(slot !== undefined, 'only rows that were asked for come back')
      // Copied into a row of our own making, so that all rows have one shape.
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

  /** A row that was not asked for may well exist: to start it anew would lose it. */
  #checkAbsence(first: number, second: number, key: number): void {
    if (this.#fresh.isAbsent(first, second, key)) return
    throw new Error(`${this.#table.name} ${first}/${second} is used and was not loaded`)
  }

  #letGo(key: number): void {
    const [first, second] = this.#idsOf(key)
    this.#fresh.letGo(first, second, key)
  }

  #keyOf(first: number, second: number): number {
    return first * this.#table.secondMax + second
  }

  #idsOf(key: number): [first: number, second: number] {
    const { secondMax } = this.#table
    return [Math.floor(key / secondMax), key % secondMax]
  }
}
