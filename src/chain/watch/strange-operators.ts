import { blockOf } from '../seq.js'
import type { StrangeOperator } from '../tape/tape.js'

/** About an hour. */
const WINDOW_BLOCKS = 2_400
/** A tool of one wallet moves a few tokens; an exchange moves them all day. */
const TRANSFERS_MIN = 100
const OPERATORS_MAX = 10_000

/** Who moved outcome tokens of others lately without being a contract that we know. */
export class StrangeOperators {
  readonly #moves = new Map<string, { block: number; transfers: number }[]>()

  add(strangers: readonly StrangeOperator[]): void {
    for (const { seq, operator, transfers } of strangers) {
      const moves = this.#moves.get(operator) ?? []
      moves.push({ block: blockOf(seq), transfers })
      // The one that was longest silent stands first and goes first.
      this.#moves.delete(operator)
      this.#moves.set(operator, moves)
    }
    for (const operator of this.#moves.keys()) {
      if (this.#moves.size <= OPERATORS_MAX) break
      this.#moves.delete(operator)
    }
  }

  /** Those that move so much that they may be a new exchange, with their transfers of the last hour. */
  busy(headBlock: number): { operator: string; transfers: number }[] {
    const found: { operator: string; transfers: number }[] = []
    for (const [operator, moves] of this.#moves) {
      const recent = moves.filter(({ block }) => block > headBlock - WINDOW_BLOCKS)
      if (recent.length === 0) this.#moves.delete(operator)
      else this.#moves.set(operator, recent)
      const transfers = recent.reduce((total, move) => total + move.transfers, 0)
      if (transfers >= TRANSFERS_MIN) found.push({ operator, transfers })
    }
    return found
  }

  cut(toBlock: number): void {
    for (const [operator, moves] of this.#moves) {
      const left = moves.filter(({ block }) => block <= toBlock)
      if (left.length === 0) this.#moves.delete(operator)
      else this.#moves.set(operator, left)
    }
  }
}
