import type { Micros, Migrate } from './acts.js'
import type { Floor } from './floor.js'
import type { Ledger } from './ledger.js'
import type { Combo, Market, Outcome } from './market.js'
import type { Rng } from './random.js'
import type { Wallet } from './wallet.js'

const WHOLE_CHANCE = 0.5

/** Shares that a wallet moves over, by outcome. */
type Move = { wallet: Wallet; market: Market; amounts: readonly [Micros, Micros] }

/** A holder of an open market that stands alone; `undefined` when the draw fell on none. */
export function drawMigration(rng: Rng, floor: Floor, ledger: Ledger, atMs: number): Move | undefined {
  const market = floor.drawAlone(rng, atMs)
  if (market === undefined) return undefined
  const holders = [...ledger.holders(market.tokens[rng.below(2)] ?? market.tokens[0]).keys()]
  const wallet = holders[rng.below(holders.length)]
  if (wallet === undefined || wallet.createdMs > atMs) return undefined
  const amountOf = (outcome: Outcome) => {
    const held = ledger.balance(wallet, market.tokens[outcome])
    return held === 0 || rng.chance(WHOLE_CHANCE) ? held : 1 + rng.below(held)
  }
  return { wallet, market, amounts: [amountOf(0), amountOf(1)] }
}

/** The module merges the sets that the shares make with those which it has already. */
export function migrationOf(
  ledger: Ledger,
  { wallet, market, amounts }: Move,
  combo: Combo,
  isFirst: boolean,
): Migrate {
  const parked = ledger.parked(market)
  const merged = Math.min(parked[0] + amounts[0], parked[1] + amounts[1])
  return { kind: 'migrate', wallet, combo, amounts, merged, isFirst }
}
