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
} from './books.js'
import { NONE } from './entry.js'
import type { StateRow, StateTable } from './rows/state-table.js'
import { BUILDER_HOURS, BUILDER_WALLETS } from './rows/tables/builders.js'
import { MARKET_HOURS } from './rows/tables/market-hours.js'
import { POSITIONS } from './rows/tables/positions.js'
import { LAST_PRICES, RESERVES, SUPPLIES } from './rows/tables/tokens.js'
import { WALLET_TOTALS } from './rows/tables/wallet-totals.js'

/** Books without a database: to compute again what it says, and for tests. */
export class MemoryBooks implements Books {
  readonly positions = new Rows(POSITIONS)
  readonly wallets = new Rows(WALLET_TOTALS)
  readonly marketHours = new Rows(MARKET_HOURS)
  readonly builderHours = new Rows(BUILDER_HOURS)
  readonly builderWallets = new Rows(BUILDER_WALLETS)
  readonly supplies = new Rows(SUPPLIES)
  readonly reserves = new Rows(RESERVES)
  readonly lastPrices = new Rows(LAST_PRICES)
  readonly pnl: PnlRow[] = []
  readonly refusals: { seq: number; reason: string }[] = []
  readonly #tokens = new Map<number, readonly number[]>()
  readonly #conditions = new Map<number, number>()

  /** From here on the condition has these tokens, by outcome. */
  learn(condition: number, tokens: readonly number[]): void {
    this.#tokens.set(condition, tokens)
    for (const token of tokens) this.#conditions.set(token, condition)
  }

  position(wallet: number, token: number): Position {
    return this.positions.open(wallet, token)
  }

  wallet(wallet: number): WalletTotals {
    return this.wallets.open(wallet)
  }

  marketHour(condition: number, hour: number): MarketHour {
    return this.marketHours.open(condition, hour)
  }

  builderHour(builder: number, hour: number): BuilderHour {
    return this.builderHours.open(builder, hour)
  }

  builderWallet(builder: number, wallet: number): BuilderWallet {
    return this.builderWallets.open(builder, wallet)
  }

  supply(token: number): Supply {
    return this.supplies.open(token)
  }

  reserve(condition: number): Reserve {
    return this.reserves.open(condition)
  }

  lastPrice(token: number): LastPrice {
    return this.lastPrices.open(token)
  }

  peekPosition(wallet: number, token: number): Position | undefined {
    return this.positions.get(wallet, token)
  }

  conditionOf(token: number): number {
    return this.#conditions.get(token) ?? NONE
  }

  tokensOf(condition: number): readonly number[] {
    return this.#tokens.get(condition) ?? []
  }

  addPnl(row: PnlRow): void {
    this.pnl.push(row)
  }

  refuse(seq: number, reason: string): void {
    this.refusals.push({ seq, reason })
  }
}

/** The rows of one table, in the order in which they were opened. */
class Rows<Row extends StateRow> implements Iterable<Row> {
  readonly #table: StateTable<Row>
  readonly #rows = new Map<number, Row>()

  constructor(table: StateTable<Row>) {
    this.#table = table
  }

  open(first: number, second = 0): Row {
    const key = first * this.#table.secondMax + second
    let row = this.#rows.get(key)
    if (row === undefined) {
      row = this.#table.make(first, second)
      this.#rows.set(key, row)
    }
    return row
  }

  get(first: number, second = 0): Row | undefined {
    return this.#rows.get(first * this.#table.secondMax + second)
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#rows.values()
  }
}
