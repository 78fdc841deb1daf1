import type { GammaLeagueSummaries, GammaLeagueSummary } from '../../upstreams/gamma/parse-summary.js'

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
  ofGamma: GammaLeagueSummaries,
  counted: readonly LeagueSummary[],
  toCode: (name: string) => string,
): MergedSummary {
  const gammaByCode = new Map(Object.entries(ofGamma).map(([name, row]) => [toCode(name), row]))
  const countedByCode = new Map(counted.map((row) => [row.league, row]))
  const codes = new Set([...gammaByCode.keys(), ...countedByCode.keys()])
  const leagues = [...codes].sort().map((league) => {
    const ours = countedByCode.get(league) ?? { ...NOTHING, league }
    return complete(gammaByCode.get(league) ?? {}, ours)
  })
  const isCompleted = counted.some(({ league }) => !isWhole(gammaByCode.get(league)))
  return { leagues, isCompleted }
}

const NOTHING = {
  activeEvents: 0,
  liveEvents: null,
  marketCount: 0,
  volume24h: 0,
  isUpcoming: false,
  dates: [],
} satisfies Omit<LeagueSummary, 'league'>

const complete = (ofGamma: GammaLeagueSummary, ours: LeagueSummary): LeagueSummary => ({
  league: ours.league,
  activeEvents: ofGamma.activeEvents ?? ours.activeEvents,
  liveEvents: ofGamma.liveEvents ?? ours.liveEvents,
  marketCount: ofGamma.marketCount ?? ours.marketCount,
  volume24h: ofGamma.volume24hr ?? ours.volume24h,
  isUpcoming: ofGamma.isUpcoming ?? ours.isUpcoming,
  dates: [...new Set([...(ofGamma.dates ?? []), ...ours.dates])].sort(),
})

const FIELDS = [
  'activeEvents',
  'liveEvents',
  'marketCount',
  'volume24hr',
  'isUpcoming',
  'dates',
] as const satisfies readonly (keyof GammaLeagueSummary)[]

const isWhole = (ofGamma: GammaLeagueSummary = {}): boolean =>
  FIELDS.every((field) => ofGamma[field] !== undefined)
