import type { Books, PnlRow, RowSource } from './books.js'
import { NONE } from './entry.js'
import { LEDGER_TABLES, type LedgerRow, type LedgerTableOf, toKey } from './rows/tables.js'

/** Books without a database: for the audit, which computes the rows again, and for tests. */
export class MemoryBooks implements Books {
  readonly rows = createRows()
  readonly pnl: PnlRow[] = []
  readonly refusals: { seq: number; reason: string }[] = []
  readonly #tokens = new Map<number, readonly number[]>()
  readonly #conditions = new Map<number, number>()
  readonly #combos = new Set<number>()

  /** From here on the condition has these tokens, by outcome. */
  addOutcomes(condition: number, tokens: readonly number[]): void {
    this.#tokens.set(condition, tokens)
    for (const token of tokens) this.#conditions.set(token, condition)
  }

  addCombo(token: number): void {
    this.#combos.add(token)
  }

  conditionOf(token: number): number {
    return this.#conditions.get(token) ?? NONE
  }

  tokensOf(condition: number): readonly number[] {
    return this.#tokens.get(condition) ?? []
  }

  isCombo(token: number): boolean {
    return this.#combos.has(token)
  }

  addPnl(row: PnlRow): void {
    this.pnl.push(row)
  }

  refuse(seq: number, reason: string): void {
    this.refusals.push({ seq, reason })
  }
}

const createRows = () => ({
  positions: new MemoryRows(LEDGER_TABLES.positions),
  walletTotals: new MemoryRows(LEDGER_TABLES.walletTotals),
  comboTotals: new MemoryRows(LEDGER_TABLES.comboTotals),
  minuteCandles: new MemoryRows(LEDGER_TABLES.minuteCandles),
  hourCandles: new MemoryRows(LEDGER_TABLES.hourCandles),
  tokenTotals: new MemoryRows(LEDGER_TABLES.tokenTotals),
  builderTotals: new MemoryRows(LEDGER_TABLES.builderTotals),
  builderDays: new MemoryRows(LEDGER_TABLES.builderDays),
  builderWallets: new MemoryRows(LEDGER_TABLES.builderWallets),
  supplies: new MemoryRows(LEDGER_TABLES.supplies),
  reserves: new MemoryRows(LEDGER_TABLES.reserves),
  lastPrices: new MemoryRows(LEDGER_TABLES.lastPrices),
})

/** The rows of one table, in the order in which they were opened. */
class MemoryRows<Row extends LedgerRow> implements RowSource<Row>, Iterable<Row> {
  readonly #table: LedgerTableOf<Row>
  readonly #rows = new Map<number, Row>()

  constructor(table: LedgerTableOf<Row>) {
    this.#table = table
  }

  open(first: number, second = 0): Row {
    const key = toKey(this.#table, first, second)
    let row = this.#rows.get(key)
    if (row === undefined) {
      row = this.#table.make(first, second)
      this.#rows.set(key, row)
    }
    return row
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#rows.values()
  }
}
