import type { Books } from './books.js'
import type { Combos } from './combos.js'
import type { Conditions } from './conditions.js'
import { CTF, PUSD, PUSD_VAULT, USDCE, WCOL } from './contracts.js'
import type { Legs } from './legs.js'
import type { NegRisk } from './neg-risk.js'

type Owing = { conditions: Conditions; negRisk: NegRisk; combos: Combos; legs: Legs }

/** What the reserves have is what all that stands on them adds up to. */
export function checkReserves(books: Books, { conditions, negRisk, combos, legs }: Owing): void {
  const held = new Map([
    [USDCE, 0n],
    [WCOL, 0n],
  ])
  for (const condition of conditions.all.values()) {
    held.set(condition.collateral, (held.get(condition.collateral) ?? 0n) + condition.held)
  }
  let negRiskCash = 0n
  for (const { cash } of negRisk.markets.values()) negRiskCash += cash
  // A combo burns the pUSD of its shares and mints it again for their payout: the vault keeps it.
  let comboPusd = 0n
  for (const combo of combos.all.values()) comboPusd += combo.held
  // The same for markets that migrated; what was got for their old shares lies in the vault too.
  for (const { held, condition } of legs.all.values()) comboPusd += held + condition.settled

  const expect = (name: string, actual: bigint, due: bigint | undefined) => {
    if (actual !== due) books.report(`${name}: ${actual} instead of ${due}`)
  }
  const { balances } = books
  expect('USDC.e in the conditional tokens', balances.get(USDCE, CTF), held.get(USDCE))
  expect('WCOL in the conditional tokens', balances.get(WCOL, CTF), held.get(WCOL))
  expect('WCOL in all', books.supply(WCOL), held.get(WCOL))
  expect('USDC.e behind WCOL', balances.get(USDCE, WCOL), negRiskCash)
  expect('USDC.e behind pUSD', balances.get(USDCE, PUSD_VAULT), books.supply(PUSD) + comboPusd)
  for (const asset of balances.assets) {
    let sum = 0n
    for (const amount of balances.parties(asset).values()) sum += amount
    expect(`all of ${asset} less its supply`, sum, 0n)
  }
}
