import { CTF, POSITION_MANAGER, ZERO } from './contracts.js'
import { Moves } from './moves.js'
import { Tally } from './tally.js'

/** Two outcomes that pay one dollar together. */
export type Question = {
  /** The tokens of outcome 0 and 1, as assets. */
  assets: readonly [string, string]
  /** Exchanges that trade it. */
  venues: readonly string[]
  /** Block that decided what each outcome pays. */
  decidedBlock: number | undefined
}

/** What all checks share: the transaction they look at, all balances, and the complaints. */
export class Books {
  moves = new Moves()
  block = 0
  transaction = ''
  /** Redemptions of the transaction, each in the name of who asked for it. */
  redemptions: { redeemer: string; payout: bigint }[] = []
  readonly balances = new Tally()
  readonly questions = new Map<string, Question>()
  readonly violations: string[] = []
  /** How often each kind of thing happened. */
  readonly seen = new Map<string, number>()

  report(text: string): void {
    this.violations.push(`block ${this.block}, transaction ${this.transaction}: ${text}`)
  }

  note(kind: string): void {
    this.seen.set(kind, (this.seen.get(kind) ?? 0) + 1)
  }

  addQuestion(question: Question): void {
    for (const asset of question.assets) this.questions.set(asset, question)
  }

  /** All that was minted and not burnt. */
  supply(asset: string): bigint {
    return -this.balances.get(asset, ZERO)
  }
}

/** Assets are ERC-20 contracts, and outcome tokens by contract and id (64 hex digits). */
export const ctfAsset = (id: string): string => `${CTF} ${id}`
export const managerAsset = (id: string): string => `${POSITION_MANAGER} ${id}`
