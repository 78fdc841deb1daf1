import { isClosed } from '../markets/market-state.js'
import { readList } from '../server/query.js'
import type { League, Team } from '../universe/games/game.js'
import { announcedStartMs } from '../universe/games/game-state.js'
import { LEAGUES } from '../universe/games/leagues.js'
import type { MarketEvent } from '../universe/market.js'
import { hash32 } from '../universe/random.js'
import type { Universe } from '../universe/universe.js'
import { marketVolume24hr } from './figures.js'
import type { Gamma } from './gamma.js'
import { isEventClosed } from './life.js'
import { MARKET_TYPES } from './market-types.js'
import { compareKeys, offsetPage } from './paging.js'
import { parseFlagParameter, parseIdsParameter } from './parameters.js'
import { presentScore, presentSides, presentTeam } from './present-game.js'
import { invalid } from './refusal.js'

const TEAMS_LIMIT_MAX = 100
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The summary leaves one of four leagues out, another one each hour. */
const MISSING_OF = 4

/** No sports are played in some universes. */
const leaguesOf = ({ catalogue }: Universe): readonly League[] =>
  catalogue.series.some(({ id }) => id === LEAGUES[0]?.seriesId) ? LEAGUES : []

export const listSports = ({ universe }: Gamma): object[] =>
  leaguesOf(universe).map((league) => ({
    id: league.id,
    sport: league.code,
    name: league.name,
    image: `https://polymarket-upload.s3.us-east-2.amazonaws.com/league-${league.code}.png`,
    resolution: `https://www.${league.code}.example/`,
    ordering: league.ordering,
    tags: tagIds(universe, league).join(','),
    series: league.seriesId ?? '',
    createdAt: '2025-06-01T12:00:00Z',
    updatedAt: '2026-10-01T12:00:00Z',
  }))

const tagIds = ({ catalogue }: Universe, { tagSlugs }: League): string[] =>
  tagSlugs.flatMap((slug) => catalogue.tags.find((tag) => tag.slug === slug)?.id ?? [])

export const listMarketTypes = ({ universe }: Gamma): object => ({
  marketTypes: leaguesOf(universe).length === 0 ? [] : MARKET_TYPES,
})

const TEAM_ORDER = new Map<string, (team: Team) => string | number>([
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['abbreviation', ({ abbreviation }) => abbreviation],
  ['league', ({ league }) => league],
  ['record', ({ record }) => record],
])

export function listTeams({ universe }: Gamma, query: URLSearchParams): object[] {
  const lower = (key: string) => readList(query, key).map((text) => text.toLowerCase())
  const [codes, names, abbreviations] = [lower('league'), lower('name'), lower('abbreviation')]
  const providers = parseIdsParameter(query, 'provider_id')
  const wants = (values: readonly string[], value: string) =>
    values.length === 0 || values.includes(value.toLowerCase())
  const order = TEAM_ORDER.get(query.get('order') || 'id')
  if (order === undefined) throw invalid('order fields are not valid')
  const sign = (parseFlagParameter(query, 'ascending') ?? true) ? 1 : -1
  const teams = leaguesOf(universe)
    .flatMap(({ hasRoster, teams }) => (hasRoster ? teams : []))
    .filter(
      ({ league, name, abbreviation, providerId }) =>
        wants(codes, league) &&
        wants(names, name) &&
        wants(abbreviations, abbreviation) &&
        wants(providers, String(providerId)),
    )
    .sort((a, b) => sign * compareKeys([order(a), a.id], [order(b), b.id]))
  return offsetPage(teams, query, TEAMS_LIMIT_MAX).map(presentTeam)
}

/** What goes on in the leagues, some of which are missing. */
export function summarizeSports({ universe }: Gamma): object {
  const hour = Math.floor(universe.nowMs / HOUR_MS)
  const groups = new Map<League, MarketEvent[]>(
    leaguesOf(universe)
      .filter(({ id }) => hash32(id, hour, 282) % MISSING_OF !== 0)
      .map((league) => [league, []]),
  )
  for (const event of universe.catalogue.events()) {
    const group = event.game === undefined ? undefined : groups.get(event.game.league)
    if (group !== undefined && !isEventClosed(universe, event)) group.push(event)
  }
  return Object.fromEntries(
    [...groups].map(([league, events]) => [summaryKey(league), summarize(universe, events)]),
  )
}

/** Games of computers go by their own names. */
const summaryKey = ({ code, sport }: League): string => (code === 'lol' ? sport : code)

function summarize(universe: Universe, events: readonly MarketEvent[]) {
  const games = events.flatMap(({ game, slug, isForgotten }) =>
    game?.slug === slug && isForgotten !== true ? [game] : [],
  )
  const markets = events.flatMap((event) => event.markets.filter((market) => !isClosed(universe, market)))
  const starts = games.map((game) => announcedStartMs(game, universe.nowMs))
  const days = starts.map((ms) => new Date(ms).toISOString().slice(0, 10))
  const volume = markets.reduce((sum, market) => sum + marketVolume24hr(universe, market), 0)
  return {
    activeEvents: games.length,
    liveEvents: games.filter((game) => universe.gameState(game).live).length,
    marketCount: markets.length,
    volume24hr: Math.round(volume * 100) / 100,
    upcoming: starts.some((ms) => ms > universe.nowMs && ms < universe.nowMs + DAY_MS),
    dates: [...new Set(days)].sort(),
  }
}

/** Scores of the asked events that are games. */
export function listResults({ universe }: Gamma, query: URLSearchParams): object[] {
  const ids = parseIdsParameter(query, 'id')
  if (ids.length === 0) throw invalid('id is required')
  return ids.flatMap((id) => {
    const game = universe.catalogue.eventById(id)?.game
    if (game === undefined) return []
    const { score = null, period = null, elapsed = null, ...rest } = presentScore(universe, game)
    const { live = false, ended = false } = rest
    return [{ id, score, elapsed, period, live, ended, teams: presentSides(game) }]
  })
}
