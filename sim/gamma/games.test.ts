import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import type { Game } from '../universe/games/game.js'
import { Universe } from '../universe/universe.js'
import { createGammaHost } from './host.js'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 14, 12)

type Json = Record<string, unknown>
type EventJson = Json & { id: string; slug: string; markets: Json[] }

let host: Host
const faults = new Faults()
const universe = new Universe({ seed: 7, startMs: START_MS, hasGames: true })

beforeAll(async () => {
  universe.advance(START_MS + 45 * MINUTE_MS)
  host = await openHost('gamma', faults, createGammaHost(universe))
})
afterAll(() => host.close())

const get = async <Body>(path: string): Promise<Body> =>
  (await (await fetch(`${host.url}${path}`)).json()) as Body
const events = (query: string) => get<EventJson[]>(`/events?limit=500&${query}`)

const gameOf = (isWanted: (game: Game) => boolean): Game => {
  const game = universe.games().find(isWanted)
  if (game === undefined) throw new RangeError('no such game')
  return game
}
const isLive = (game: Game) => universe.gameState(game).live

describe('a game', () => {
  test('has the types of the real thing, on the event and on its markets', async () => {
    const game = gameOf((each) => isLive(each) && each.league.code === 'nba')
    const event = await get<EventJson>(`/events/slug/${game.slug}`)
    expect(event).toMatchObject({
      gameId: game.id,
      startTime: '2026-11-14T12:30:00Z',
      eventDate: '2026-11-14',
      homeTeamName: game.home.name,
      awayTeamName: game.away.name,
      gameStatus: 'InProgress',
      live: true,
      ended: false,
      spreadsMainLine: expect.any(Number),
      totalsMainLine: expect.any(Number),
      seriesSlug: 'nba-2026',
      closed: false,
      teams: [
        { id: game.away.id, name: game.away.name, ordering: 'away', record: expect.any(String) },
        {
          id: game.home.id,
          name: game.home.name,
          ordering: 'home',
          providerId: expect.any(Number),
        },
      ],
    })
    const types = event.markets.map(({ sportsMarketType }) => sportsMarketType)
    expect(types).toEqual(expect.arrayContaining(['moneyline', 'spreads', 'totals']))
    for (const market of event.markets) {
      expect(market).toMatchObject({
        gameId: String(game.id),
        gameStartTime: '2026-11-14 12:30:00+00',
        secondsDelay: 3,
        clearBookOnStart: true,
        outcomes: expect.stringMatching(/^\["/),
      })
    }
    const lines = event.markets.filter(({ sportsMarketType }) => sportsMarketType === 'spreads')
    expect(lines.every(({ line }) => typeof line === 'number' && line < 0)).toBe(true)
  })

  test('has no score before the kick-off', async () => {
    const game = gameOf(({ startMs }) => startMs > universe.nowMs + 60 * MINUTE_MS)
    const event = await get<EventJson>(`/events/slug/${game.slug}`)
    for (const key of ['live', 'ended', 'score', 'period', 'elapsed', 'finishedTimestamp']) {
      expect(event).not.toHaveProperty(key)
    }
  })

  test('is exclusive in soccer, and its companions share its id', async () => {
    const game = gameOf((each) => isLive(each) && each.league.code === 'epl')
    const { events: found } = await get<{ events: EventJson[] }>(`/events/keyset?game_id=${game.id}`)
    const suffixes = found.map(({ slug }) => slug.slice(game.slug.length)).sort()
    expect(suffixes).toEqual([
      '',
      '-exact-score',
      '-first-to-score',
      '-halftime-result',
      '-more-markets',
      '-player-props',
      '-second-half-result',
    ])
    const main = found.find(({ slug }) => slug === game.slug)
    expect(main).toMatchObject({ negRisk: true, gameId: game.id })
    expect(main?.markets.length).toBe(3)
  })

  test('that is put off has a new kick-off, one that is called off is closed half and half', async () => {
    const putOff = gameOf(({ fate }) => fate.kind === 'postponed' && fate.knownMs < universe.nowMs)
    expect(await get<EventJson>(`/events/slug/${putOff.slug}`)).toMatchObject({
      gameStatus: 'Postponed',
      startTime: '2026-11-15T13:45:00Z',
      eventDate: '2026-11-15',
      closed: false,
    })
    const off = gameOf(({ fate }) => fate.kind === 'canceled' && fate.knownMs < universe.nowMs)
    const event = await get<EventJson>(`/events/slug/${off.slug}`)
    expect(event).toMatchObject({ gameStatus: 'cancelled', ended: true, score: null, closed: true })
    const prices = event.markets.map(({ outcomePrices }) => outcomePrices)
    expect(new Set(prices)).toEqual(new Set(['["0.5", "0.5"]']))
  })
})

describe('lists of events', () => {
  const isNba = (event: EventJson) => event.slug.startsWith('nba-')

  test('find a league by its series or its tag, futures and a forgotten game among them', async () => {
    const bySeries = await events('series_id=11001')
    expect(bySeries.every(isNba)).toBe(true)
    const slugs = bySeries.map(({ slug }) => slug)
    expect(slugs).toContain('nba-champion-2027')
    const zombie = bySeries.find(({ slug }) => slug.endsWith('2026-04-20'))
    expect(zombie).toMatchObject({ closed: false, enableOrderBook: false, active: true })
    const byTag = await events('tag_slug=wta')
    expect(byTag.length).toBeGreaterThan(0)
    expect(byTag.every((event) => event.series === undefined)).toBe(true)
  })

  test('take the filters of games', async () => {
    const live = await events('live=true')
    const liveGames = universe.games().filter(isLive)
    expect(new Set(live.map(({ gameId }) => gameId))).toEqual(new Set(liveGames.map(({ id }) => id)))
    const dated = await events('event_date=2026-11-15&series_id=11001')
    expect(dated.length).toBeGreaterThan(0)
    expect(dated.every(({ eventDate }) => eventDate === '2026-11-15')).toBe(true)
    const early = await events(
      'tag_slug=sports&start_time_min=2026-11-14T13:00:00Z&start_time_max=2026-11-14T13:30:00Z',
    )
    expect(new Set(early.map(({ startTime }) => startTime))).toEqual(new Set(['2026-11-14T13:30:00Z']))
    const markets = await get<Json[]>('/markets?sports_market_types=spreads&limit=50')
    expect(new Set(markets.map(({ sportsMarketType }) => sportsMarketType))).toEqual(new Set(['spreads']))
  })

  test('/events/pagination counts them', async () => {
    const page = await get<{ data: EventJson[]; pagination: Json }>(
      '/events/pagination?series_id=11001&limit=2',
    )
    expect(page.data.length).toBe(2)
    expect(page.pagination).toEqual({ hasMore: true, totalResults: expect.any(Number) })
    const all = await events('series_id=11001')
    expect(page.pagination.totalResults).toBe(all.length)
  })

  test('/events/results shows the score of an event', async () => {
    const game = gameOf(isLive)
    const id = universe.catalogue.eventBySlug(game.slug)?.id
    const [result] = await get<Json[]>(`/events/results?id=${id}`)
    expect(result).toMatchObject({ id, live: true, ended: false, teams: expect.any(Array) })
  })
})

describe('sports', () => {
  test('are listed with tags and series as texts, one of them without a series', async () => {
    const sports = await get<Json[]>('/sports')
    expect(sports[0]).toMatchObject({
      id: expect.any(Number),
      sport: 'nba',
      ordering: 'away',
      tags: '1,745,28,100639',
      series: '11001',
      resolution: expect.stringMatching(/^https:/),
    })
    expect(sports.filter(({ series }) => series === '').map(({ sport }) => sport)).toEqual(['wta'])
    const { marketTypes } = await get<{ marketTypes: string[] }>('/sports/market-types')
    const asked = universe.catalogue
      .events()
      .flatMap(({ markets }) => markets.flatMap((market) => market.sportsMarketType ?? []))
    expect(marketTypes).toEqual(expect.arrayContaining([...new Set(asked)]))
  })

  test('have a summary in which some leagues are missing', async () => {
    const summary = await get<Record<string, Json>>('/sports/summary')
    expect(Object.keys(summary).length).toBeLessThan(9)
    expect(Object.values(summary)[0]).toEqual({
      activeEvents: expect.any(Number),
      liveEvents: expect.any(Number),
      marketCount: expect.any(Number),
      volume24hr: expect.any(Number),
      upcoming: expect.any(Boolean),
      dates: expect.any(Array),
    })
  })

  test('have teams in pages of at most a hundred', async () => {
    const first = await get<Json[]>('/teams?league=atp&limit=500')
    expect(first.length).toBe(100)
    expect(first[0]).toMatchObject({ id: expect.any(Number), league: 'atp', alias: 'Balberg' })
    expect((await get<Json[]>('/teams?league=atp&limit=100&offset=100')).length).toBe(8)
    expect(await get<Json[]>('/teams?league=cs2')).toEqual([])
    const named = await get<Json[]>('/teams?name=herons&league=nba&league=epl')
    expect(named.map(({ abbreviation }) => abbreviation)).toEqual(['atl'])
    const sorted = await get<Json[]>('/teams?league=nba&order=name&ascending=false&limit=1')
    expect(sorted[0]).toMatchObject({ name: 'Walruses' })
  })

  test('are found by the search, with their city and within their tag', async () => {
    const { league, home } = gameOf(({ league }) => league.code === 'nba')
    const found = await get<{ events: EventJson[] }>(
      `/public-search?q=${encodeURIComponent(home.alias)}&events_tag=${league.code}&limit_per_type=50`,
    )
    expect(found.events.every(({ slug }) => slug.startsWith('nba-'))).toBe(true)
    const open = await get<{ events: EventJson[] }>(
      '/public-search?q=atp&events_status=active&limit_per_type=50',
    )
    expect(open.events.every(({ closed }) => closed === false)).toBe(true)
    const kept = await get<{ events: EventJson[] }>(
      '/public-search?q=atp&events_status=active&keep_closed_markets=2&limit_per_type=50',
    )
    expect(kept.events.length).toBeGreaterThan(open.events.length)
  })

  test('/series/{id} has the open games of its league with their kick-offs', async () => {
    const series = await get<{ events: Json[] }>('/series/11004')
    expect(series.events.length).toBeGreaterThan(5)
    expect(series.events[0]).toMatchObject({ startTime: expect.any(String), closed: false })
  })

  test('without games there are none', async () => {
    const empty = new Universe({ seed: 7, startMs: START_MS })
    empty.advance(START_MS + MINUTE_MS)
    const other = await openHost('gamma', new Faults(), createGammaHost(empty))
    const read = async (path: string) => (await fetch(`${other.url}${path}`)).json()
    expect(await read('/sports')).toEqual([])
    expect(await read('/sports/market-types')).toEqual({ marketTypes: [] })
    expect(await read('/sports/summary')).toEqual({})
    expect(await read('/teams')).toEqual([])
    await other.close()
  })
})
