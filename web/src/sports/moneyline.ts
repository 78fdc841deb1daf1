import { formatPrice } from '../format.js'

type GameMarket = {
  sportsMarketType: string | null
  groupItemTitle: string | null
  outcomes: readonly string[]
  outcomePrices: readonly (string | number)[] | null
}

/** Who wins at which price. A game has one market of both teams, or one of Yes and No for each. */
export function moneylineOf(markets: readonly GameMarket[]): string {
  const lines = markets.filter(({ sportsMarketType: type }) => type === 'moneyline')
  const [only] = lines
  const parts =
    lines.length === 1 && only !== undefined
      ? only.outcomes.map((name, index) => [name, only.outcomePrices?.[index]] as const)
      : lines.map(({ groupItemTitle: name, outcomePrices: prices }) => [name, prices?.[0]] as const)
  return parts
    .filter(([, price]) => price !== undefined)
    .map(([name, price]) => `${name} ${formatPrice(Number(price))}`)
    .join(' · ')
}
