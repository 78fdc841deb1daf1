import type {
  GammaLeagueSummaries,
  GammaLeagueSummary,
} from '../../upstreams/gamma/parse-summary.js'

/** What goes on in a league. `liveEvents`: null when it is not known. */
export type LeagueSummary = {
  league: string
  activeEvents: number
  liveEvents: number | null
  marketCount: number
  volume24h: number
  isUpcoming: boolean
  dates: string[]
}

/** `isCompleted`: something of it is not from Gamma's summary. */
export type MergedSummary = { leagues: LeagueSummary[]; isCompleted: boolean }

/**
 * Gamma's summary, completed by what we counted where it lacks a league or a field of one. `toCode`
 * gives the code of a league by the name that Gamma's summary has for it.
 */
export function mergeSummary(
  told: GammaLeagueSummaries,
  counted: readonly LeagueSummary[],
  toCode: (name: string) => string,
): MergedSummary {
  const toldByCode = new Map(Object.entries(told).map(([name, row]) => [toCode(name), row]))
  const countedByCode = new Map(counted.map((row) => [row.league, row]))
  const codes = new Set([...toldByCode.keys(), ...countedByCode.keys()])
  const leagues = [...codes].sort().map((league) => {
    const ours = countedByCode.get(league) ?? { ...NOTHING, league }
    return complete(toldByCode.get(league) ?? {}, ours)
  })
  const isCompleted = counted.some(({ league }) => !isWhole(toldByCode.get(league)))
  return { leagues, isCompleted }
}

const NOTHING = {
  ...{ activeEvents: 0, liveEvents: null, marketCount: 0, volume24h: 0 },
  ...{ isUpcoming: false, dates: [] },
} satisfies Omit<LeagueSummary, 'league'>

const complete = (told: GammaLeagueSummary, ours: LeagueSummary): LeagueSummary => ({
  league: ours.league,
  activeEvents: told.activeEvents ?? ours.activeEvents,
  liveEvents: told.liveEvents ?? ours.liveEvents,
  marketCount: told.marketCount ?? ours.marketCount,
  volume24h: told.volume24hr ?? ours.volume24h,
  isUpcoming: told.isUpcoming ?? ours.isUpcoming,
  dates: [...new Set([...(told.dates ?? []), ...ours.dates])].sort(),
})

const FIELDS = [
  'activeEvents',
  'liveEvents',
  'marketCount',
  'volume24hr',
  'isUpcoming',
  'dates',
] as const satisfies readonly (keyof GammaLeagueSummary)[]

const isWhole = (told: GammaLeagueSummary = {}): boolean =>
  FIELDS.every((field) => told[field] !== undefined)
