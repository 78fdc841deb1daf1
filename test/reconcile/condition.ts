import { ctfAsset, type Question } from './books.js'
import {
  EXCHANGE_V1,
  EXCHANGE_V2,
  NEG_RISK_ADAPTER,
  NEG_RISK_EXCHANGE_V1,
  NEG_RISK_EXCHANGE_V2,
  USDCE,
  WCOL,
} from './contracts.js'
import type { Debtor, Pair } from './cover.js'
import { tokenIdsOf } from './token-ids.js'

/** A condition of the conditional tokens. */
export class Condition implements Question, Debtor {
  readonly id: string
  readonly questionId: string
  readonly collateral: string
  readonly venues: readonly string[]
  /** Collateral that came in and did not leave. */
  held = 0n
  redemptions = 0n
  /** Collateral that the binary module got for old shares that had migrated. */
  settled = 0n
  payouts: Pair | undefined
  decidedBlock: number | undefined
  /** Tokens that an exchange learned with the other as their complement. */
  readonly registered: string[] = []
  #assets: readonly [string, string] | undefined

  constructor(id: string, oracle: string, questionId: string) {
    const isNegRisk = oracle === NEG_RISK_ADAPTER
    this.id = id
    this.questionId = questionId
    this.collateral = isNegRisk ? WCOL : USDCE
    this.venues = isNegRisk ? [NEG_RISK_EXCHANGE_V1, NEG_RISK_EXCHANGE_V2] : [EXCHANGE_V1, EXCHANGE_V2]
  }

  /** Whether a check needed its tokens. */
  get isUsed(): boolean {
    return this.#assets !== undefined
  }

  get assets(): readonly [string, string] {
    if (this.#assets === undefined) {
      const [first, second] = tokenIdsOf(this.collateral, this.id)
      this.#assets = [ctfAsset(first), ctfAsset(second)]
    }
    return this.#assets
  }

  /** What a redemption pays: each outcome rounded down for itself. Undefined before the result. */
  worthOf(shares: Pair): bigint | undefined {
    if (this.payouts === undefined) return undefined
    const [first, second] = this.payouts
    const whole = first + second
    return (shares[0] * first) / whole + (shares[1] * second) / whole
  }
}
