import { Type } from 'typebox'
import { namedObject } from '../../lib/named-object.js'

const NullableText = Type.Union([Type.String(), Type.Null()])

/** In paths and parameters. */
export const LeagueCode = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,40}$',
  description: 'the code of a league, `sport` of GET /v2/sports/leagues',
  examples: ['nba'],
})

export const League = namedObject('League', {
  id: Type.Integer(),
  sport: Type.String({ description: 'the code of the league, which other paths use' }),
  name: Type.Optional(Type.String()),
  image: Type.String(),
  resolution: Type.String({ description: 'where results are looked up' }),
  ordering: Type.String({
    description: 'which team titles and slugs have first: `home` or `away`',
  }),
  tags: Type.String({ description: 'ids of tags, with commas' }),
  series: Type.String({ description: 'the series of its games; empty when it has none' }),
  is_esports: Type.Boolean(),
})

/** A team, or a player where players compete. */
export const Team = namedObject('Team', {
  id: Type.Integer(),
  name: NullableText,
  league: NullableText,
  record: { ...NullableText, description: 'won, lost and, in some leagues, drawn: `27-9-0`' },
  logo: NullableText,
  abbreviation: NullableText,
  alias: NullableText,
  color: NullableText,
  providerId: Type.Optional(Type.Integer()),
  ordering: Type.Optional(Type.String({ description: 'of a game: `home` or `away`' })),
})

/** What every list of sports says of where it comes from. */
export const Stale = Type.Boolean({
  description: 'true: no source answers now, and this is a copy of at most 12 hours ago',
})

export const Fallback = Type.Boolean({
  description: 'true: the first source did not answer, or not with everything',
})

export const LeaguesReply = namedObject('Leagues', {
  stale: Stale,
  count: Type.Integer(),
  leagues: Type.Array(League),
})

const TEAMS_MAX = 500

export const TeamsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: TEAMS_MAX, default: TEAMS_MAX }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
})

export const TeamsReply = namedObject('LeagueTeams', {
  league: Type.String(),
  stale: Stale,
  count: Type.Integer({ description: 'how many are in this answer' }),
  total: Type.Integer({ description: 'how many the league has' }),
  teams: Type.Array(Team),
})

const Day = Type.String({ description: 'a day, `2026-11-30`' })

const LeagueSummaryRow = namedObject('LeagueSummary', {
  league: Type.String(),
  active_events: Type.Integer({ description: 'games that are to come or being played' }),
  live_events: Type.Union([Type.Integer(), Type.Null()], {
    description: 'games that are being played; null: not known',
  }),
  has_live: Type.Boolean(),
  market_count: Type.Integer({ description: 'open markets of these games' }),
  volume_24h: Type.Number({ description: 'dollars' }),
  upcoming: Type.Boolean({ description: 'a game begins within a day' }),
  dates: Type.Array(Day, { description: 'days with games' }),
  latest_event_date: Type.Union([Day, Type.Null()]),
})

export const SummaryReply = namedObject('SportsSummary', {
  source: Type.String(),
  fallback: Fallback,
  stale: Stale,
  count: Type.Integer(),
  leagues: Type.Array(LeagueSummaryRow),
})

export const LiveReply = namedObject('LiveGames', {
  source: Type.String(),
  fallback: Fallback,
  stale: Stale,
  summary_league_count: Type.Integer({
    description: "how many leagues the platform's own summary had",
  }),
  volumes_24h: Type.Record(Type.String(), Type.Number(), { description: 'dollars, by league' }),
  market_counts: Type.Record(Type.String(), Type.Integer(), {
    description: 'open markets, by league',
  }),
  live_leagues: Type.Array(Type.String(), {
    description: 'leagues with games that are being played',
  }),
  upcoming_leagues: Type.Array(Type.String(), { description: 'leagues with games within a day' }),
  latest_event_dates: Type.Record(Type.String(), Day, {
    description: 'the last day that has a game, by league',
  }),
})
