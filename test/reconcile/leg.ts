import { managerAsset, type Question } from './books.js'
import type { Condition } from './condition.js'
import { EXCHANGE_V3 } from './contracts.js'
import type { Debtor, Pair } from './cover.js'

/** The modules pay in millionths. */
export const WHOLE = 1_000_000n

/** A condition of the binary module: a market of the conditional tokens under another id. */
export class Leg implements Question, Debtor {
  readonly id: string
  readonly condition: Condition
  readonly assets: readonly [string, string]
  readonly venues = [EXCHANGE_V3]
  /** The pUSD that was burnt for its shares and not minted again. */
  held = 0n
  redemptions = 0n
  payouts: Pair | undefined
  decidedBlock: number | undefined
  isReported = false
  isCopied = false

  constructor(id: string, condition: Condition) {
    this.id = id
    this.condition = condition
    this.assets = [managerAsset(`${id}00`), managerAsset(`${id}01`)]
  }

  /**
   * Shares that were split are backed by pUSD, those that migrated by the old shares which the module
   * has, or by what it got for them. At a draw the module and each redemption lose up to a unit.
   */
  isCovered(supply: Pair, parked: Pair): boolean {
    const held = this.held + this.condition.settled
    if (this.payouts === undefined) {
      return supply[0] === held + parked[0] && supply[1] === held + parked[1]
    }
    const [first, second] = this.payouts
    const excess = held * WHOLE - supply[0] * first - supply[1] * second
    const isShared = first > 0n && second > 0n
    if (!isShared) return excess === 0n && parked[0] + parked[1] === 0n
    return excess > -2n * WHOLE && excess <= this.redemptions * WHOLE
  }
}
