import { Tally } from './tally.js'

/** What one transaction moves by its transfers, and how much of that its other events account for. */
export class Moves {
  readonly made = new Tally()
  /** Made and not accounted for; negative when declared and not made. */
  readonly open = new Tally()

  transfer(asset: string, from: string, to: string, amount: bigint): void {
    this.made.add(asset, from, -amount)
    this.made.add(asset, to, amount)
    this.open.add(asset, from, -amount)
    this.open.add(asset, to, amount)
  }

  /** An event says that this much went from one to the other, through any number of transfers. */
  declare(asset: string, from: string, to: string, amount: bigint): void {
    this.open.add(asset, from, amount)
    this.open.add(asset, to, -amount)
  }
}
