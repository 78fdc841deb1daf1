import type { Cached } from '../../lib/stale-fallback-cache.js'
import type { GammaSport, GammaTeam } from '../../upstreams/gamma/parse-sports.js'
import type { LeagueSummary } from './merge-summary.js'
import type { SportsSummary } from './summary.js'

/** The tag of everything that has to do with esports. */
const ESPORTS_TAG_ID = '64'

/** The platform's own row, in which what is missing is an empty text. */
export const presentLeague = (league: GammaSport) => ({
  id: league.id,
  sport: league.sport,
  ...(league.name !== undefined && { name: league.name }),
  image: league.image ?? '',
  resolution: league.resolution ?? '',
  ordering: league.ordering ?? '',
  tags: league.tagIds.join(','),
  series: league.series ?? '',
  is_esports: league.tagIds.includes(ESPORTS_TAG_ID),
})

export const presentTeam = (team: GammaTeam) => ({
  id: team.id,
  name: team.name ?? null,
  league: team.league ?? null,
  record: team.record ?? null,
  logo: team.logo ?? null,
  abbreviation: team.abbreviation ?? null,
  alias: team.alias ?? null,
  color: team.color ?? null,
  ...(team.providerId !== undefined && { providerId: team.providerId }),
  ...(team.ordering !== undefined && { ordering: team.ordering }),
})

export const presentSportsSummary = ({ value, isStale }: Cached<SportsSummary>) => ({
  ...presentOrigin(value, isStale),
  count: value.leagues.length,
  leagues: value.leagues.map((league) => ({
    league: league.league,
    active_events: league.activeEvents,
    live_events: league.liveEvents,
    has_live: isLive(league),
    market_count: league.marketCount,
    volume_24h: league.volume24h,
    upcoming: league.isUpcoming,
    dates: league.dates,
    latest_event_date: league.dates.at(-1) ?? null,
  })),
})

export const presentLive = ({ value, isStale }: Cached<SportsSummary>) => {
  const { leagues } = value
  return {
    ...presentOrigin(value, isStale),
    summary_league_count: value.gammaLeagueCount,
    volumes_24h: byLeague(leagues, ({ volume24h }) => volume24h),
    market_counts: byLeague(leagues, ({ marketCount }) => marketCount),
    live_leagues: leagues.filter(isLive).map(({ league }) => league),
    upcoming_leagues: leagues.filter(({ isUpcoming }) => isUpcoming).map(({ league }) => league),
    latest_event_dates: byLeague(leagues, ({ dates }) => dates.at(-1)),
  }
}

const presentOrigin = ({ source, isFallback }: SportsSummary, stale: boolean) => ({
  source,
  fallback: isFallback,
  stale,
})

const isLive = ({ liveEvents }: LeagueSummary): boolean => (liveEvents ?? 0) > 0

/** Leagues without the value are left out. */
const byLeague = <Value>(
  leagues: readonly LeagueSummary[],
  pick: (league: LeagueSummary) => Value | undefined,
): Record<string, Value> =>
  Object.fromEntries(
    leagues.flatMap((league) => {
      const value = pick(league)
      return value === undefined ? [] : [[league.league, value]]
    }),
  )
