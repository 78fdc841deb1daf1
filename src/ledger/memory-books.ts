import { type PnlRow, RowBooks, type RowSource } from './books.js'
import { NONE } from './entry.js'
import {
  BUILDER_HOURS,
  BUILDER_WALLETS,
  LAST_PRICES,
  type LedgerRow,
  type LedgerTableOf,
  MARKET_HOURS,
  POSITIONS,
  RESERVES,
  SUPPLIES,
  toKey,
  WALLET_TOTALS,
} from './rows/tables.js'

/** Books without a database: for the audit, which computes the rows again, and for tests. */
export class MemoryBooks extends RowBooks<ReturnType<typeof createRows>> {
  readonly pnl: PnlRow[] = []
  readonly refusals: { seq: number; reason: string }[] = []
  readonly #tokens = new Map<number, readonly number[]>()
  readonly #conditions = new Map<number, number>()

  constructor() {
    super(createRows())
  }

  /** From here on the condition has these tokens, by outcome. */
  addOutcomes(condition: number, tokens: readonly number[]): void {
    this.#tokens.set(condition, tokens)
    for (const token of tokens) this.#conditions.set(token, condition)
  }

  override conditionOf(token: number): number {
    return this.#conditions.get(token) ?? NONE
  }

  override tokensOf(condition: number): readonly number[] {
    return this.#tokens.get(condition) ?? []
  }

  override addPnl(row: PnlRow): void {
    this.pnl.push(row)
  }

  override refuse(seq: number, reason: string): void {
    this.refusals.push({ seq, reason })
  }
}

const createRows = () => ({
  positions: new MemoryRows(POSITIONS),
  walletTotals: new MemoryRows(WALLET_TOTALS),
  marketHours: new MemoryRows(MARKET_HOURS),
  builderHours: new MemoryRows(BUILDER_HOURS),
  builderWallets: new MemoryRows(BUILDER_WALLETS),
  supplies: new MemoryRows(SUPPLIES),
  reserves: new MemoryRows(RESERVES),
  lastPrices: new MemoryRows(LAST_PRICES),
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

  peek(first: number, second = 0): Row | undefined {
    return this.#rows.get(toKey(this.#table, first, second))
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#rows.values()
  }
}
