import type { Combo, Market, MarketEvent } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'

const DAY_MS = 86_400_000

export const PERIODS = ['DAY', 'WEEK', 'MONTH', 'ALL'] as const
export type Period = (typeof PERIODS)[number]

const LENGTHS_MS = { DAY: DAY_MS, WEEK: 7 * DAY_MS, MONTH: 30 * DAY_MS }

/** When the period began; 0 for all time. */
export const startOf = (universe: Universe, period: Period): number =>
  period === 'ALL' ? 0 : universe.nowMs - LENGTHS_MS[period]

export const CATEGORIES = [
  'OVERALL',
  'POLITICS',
  'SPORTS',
  'ESPORTS',
  'CRYPTO',
  'CULTURE',
  'MENTIONS',
  'WEATHER',
  'ECONOMICS',
  'TECH',
  'FINANCE',
] as const
export type Category = (typeof CATEGORIES)[number]

/** Boards and tags do not use the same word for everything. */
const SYNONYMS: { readonly [Name in Category]?: string } = { ECONOMICS: 'economy' }

/** Combos are of no category: they count overall alone. */
export function isOf(category: Category, of: Market | Combo): boolean {
  if (category === 'OVERALL') return true
  return of.kind === 'market' && wordsOf(of.event).has(SYNONYMS[category] ?? category.toLowerCase())
}

const knownWords = new WeakMap<MarketEvent, ReadonlySet<string>>()

function wordsOf(event: MarketEvent): ReadonlySet<string> {
  const known = knownWords.get(event)
  if (known !== undefined) return known
  const words = [event.category, ...event.tags.map(({ slug }) => slug)]
  const set = new Set(words.map((word) => word.toLowerCase()))
  knownWords.set(event, set)
  return set
}
