import { managerAsset, type Question } from './books.js'
import { EXCHANGE_V3 } from './contracts.js'
import type { Debtor, Pair } from './cover.js'
import { type Leg, WHOLE } from './leg.js'

/** A condition of the combinatorial module. It has no result of its own. */
export class Combo implements Question, Debtor {
  readonly id: string
  readonly legs: readonly { leg: Leg; outcome: 0 | 1 }[]
  readonly assets: readonly [string, string]
  readonly venues = [EXCHANGE_V3]
  /** The pUSD that was burnt for its shares and not minted again. */
  held = 0n
  redemptions = 0n

  constructor(id: string, legs: Combo['legs']) {
    this.id = id
    this.legs = legs
    this.assets = [managerAsset(`${id}00`), managerAsset(`${id}01`)]
  }

  /** YES pays the product of what its legs pay; one lost leg decides it before the others. */
  get payouts(): Pair | undefined {
    let yes = WHOLE
    let isOpen = false
    for (const { leg, outcome } of this.legs) {
      if (leg.payouts === undefined) isOpen = true
      else yes = (yes * leg.payouts[outcome]) / WHOLE
    }
    return isOpen && yes > 0n ? undefined : [yes, WHOLE - yes]
  }

  get decidedBlock(): number | undefined {
    if (this.payouts === undefined) return undefined
    const lost = this.legs.filter(({ leg, outcome }) => leg.payouts?.[outcome] === 0n)
    const blocks = (legs: Combo['legs']) => legs.map(({ leg }) => leg.decidedBlock ?? 0)
    return lost.length > 0 ? Math.min(...blocks(lost)) : Math.max(...blocks(this.legs))
  }
}
