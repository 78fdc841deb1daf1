import { blockOf } from '../../core/seq.js'
import type { UnknownOperator } from '../facts/registry.js'

/** About an hour. */
const WINDOW_BLOCKS = 2_400
/** An operator of one wallet moves few tokens; an exchange moves many in every hour. */
const TRANSFERS_MIN = 100
const OPERATORS_MAX = 10_000

/** Transfers by block, ascending, and their sum. */
type Moves = { blocks: { block: number; transfers: number }[]; transfers: number }

/** Addresses outside the table of contracts that recently moved outcome tokens of others. */
export class UnknownOperators {
  readonly #moves = new Map<string, Moves>()

  add(operators: readonly UnknownOperator[]): void {
    for (const { seq, operator, transfers } of operators) {
      const moves = this.#moves.get(operator) ?? { blocks: [], transfers: 0 }
      addTo(moves, blockOf(seq), transfers)
      // Moves the operator to the end: the one without transfers for longest is dropped first.
      this.#moves.delete(operator)
      this.#moves.set(operator, moves)
    }
    for (const operator of this.#moves.keys()) {
      if (this.#moves.size <= OPERATORS_MAX) break
      this.#moves.delete(operator)
    }
  }

  /** Operators with at least TRANSFERS_MIN transfers in the last hour: each may be a new exchange. */
  busy(headBlock: number): { operator: string; transfers: number }[] {
    this.#keep((block) => block > headBlock - WINDOW_BLOCKS)
    const found: { operator: string; transfers: number }[] = []
    for (const [operator, { transfers }] of this.#moves)
      if (transfers >= TRANSFERS_MIN) found.push({ operator, transfers })
    return found
  }

  revert(toBlock: number): void {
    this.#keep((block) => block <= toBlock)
  }

  /** Blocks are ascending and those to drop are at one end, so checking both ends is enough. */
  #keep(stays: (block: number) => boolean): void {
    for (const [operator, moves] of this.#moves) {
      const { blocks } = moves
      if (stays(blocks[0]?.block ?? 0) && stays(blocks.at(-1)?.block ?? 0)) continue
      moves.blocks = blocks.filter(({ block }) => stays(block))
      moves.transfers = moves.blocks.reduce((sum, { transfers }) => sum + transfers, 0)
      if (moves.transfers === 0) this.#moves.delete(operator)
    }
  }
}

function addTo(moves: Moves, block: number, transfers: number): void {
  const last = moves.blocks.at(-1)
  if (last?.block === block) last.transfers += transfers
  else moves.blocks.push({ block, transfers })
  moves.transfers += transfers
}
