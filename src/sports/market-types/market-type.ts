import { type Sport, sportsOfType } from './sports.js'
import { LABELS, MARKET_CATEGORIES, type MarketCategory } from './type-table.js'

/** A kind of sports market. `sports`: `undefined` when every sport may have it. */
export type MarketType = {
  code: string
  label: string
  category: MarketCategory
  sports: readonly Sport[] | undefined
}

/** The kind with that code, also when it is new. */
export function toMarketType(code: string): MarketType {
  const known = KNOWN.get(code)
  const { label, category } = known ?? { label: toLabel(code), category: toCategory(code) }
  return { code, label, category, sports: sportsOfType(code) }
}

const KNOWN = new Map(
  MARKET_CATEGORIES.flatMap((category) =>
    Object.entries(LABELS[category] ?? {}).map(([code, label]) => [code, { label, category }]),
  ),
)

export const KNOWN_CODES: readonly string[] = [...KNOWN.keys()]

/** The category of a code that is not in the table: of the first pattern that it fits. */
const CATEGORY_RULES: readonly [RegExp, MarketCategory][] = [
  [/^(q[1-4]|first_half|second_half)_/, 'half-period'],
  [/player/, 'player-prop'],
  [/moneyline|winner/, 'moneyline'],
  [/spread|handicap/, 'spread'],
  [/exact_score/, 'exact-score'],
  [/total|over_under/, 'total'],
  [/^(lol|cs2|dota2|valorant|moba|shooter)_/, 'esports-special'],
]

const toCategory = (code: string): MarketCategory =>
  CATEGORY_RULES.find(([pattern]) => pattern.test(code))?.[1] ?? 'unknown'

/** `first_half_shots` is `1H Shots`. A code without letters and digits is its own label. */
function toLabel(code: string): string {
  const short = code.replace(/first_half/g, '1H').replace(/second_half/g, '2H')
  const words = short.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return words.map(capitalise).join(' ') || code
}

const capitalise = (word: string): string => {
  const [first = '', ...rest] = word
  return first.toUpperCase() + rest.join('')
}
