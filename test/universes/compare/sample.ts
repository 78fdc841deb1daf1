import type { Act } from '../../../sim/universe/acts.js'
import type { Market } from '../../../sim/universe/market.js'
import type { Model } from '../model/read-model.js'
import { byCount, groupBy } from './group-by.js'

/** How many wallets, tokens and markets get lists of their own: `count` of the busiest, and as many by chance. */
export type Sample = { count: number; seed: number }

/** Whose lists are compared. */
export type Sampled = {
  wallets: readonly string[]
  /** Decimal; of markets, not of combos. */
  tokens: readonly string[]
  markets: readonly Market[]
}

/** The sample of wallets has one for each kind of act too, and one that traded combos: these may be rare. */
export function takeSample(model: Model, { count }: Sample, below: (bound: number) => number): Sampled {
  const draw = <Item>(items: readonly Item[]): Item[] =>
    items.length === 0 ? [] : [items[below(items.length)] as Item]
  const choose = <Item>(items: readonly Item[]): Item[] => {
    const drawn = Array.from({ length: count }, () => draw(items)).flat()
    return [...new Set([...byCount(items).slice(0, count), ...drawn])]
  }
  const actors = groupBy(
    model.transactions.map(({ act }) => act),
    ({ kind }) => kind,
  )
  const ofCombos = model.fills.flatMap(({ isCombo, maker }) => (isCombo ? [maker] : []))
  const rare = [...[...actors.values()].map((acts) => acts.flatMap(walletsOf)), ofCombos].flatMap(draw)
  const tokens = model.fills.flatMap(({ token, isCombo }) => (isCombo ? [] : [token]))
  const markets = tokens.flatMap((token) => {
    const of = model.tokens.get(token)?.of
    return of?.kind === 'market' ? [of] : []
  })
  return {
    wallets: [...new Set([...choose(model.fills.map(({ maker }) => maker)), ...rare])],
    tokens: choose(tokens),
    markets: choose(markets),
  }
}

function walletsOf(act: Act): string[] {
  if (act.kind === 'match') return []
  if (act.kind === 'transfer') return [act.from.address, act.to.address]
  return 'wallet' in act ? [act.wallet.address] : []
}
