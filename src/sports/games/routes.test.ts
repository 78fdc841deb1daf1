import { Ajv } from 'ajv'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Game as PlayedGame } from '../../../sim/universe/games/game.js'
import { STALE_MS_MAX } from '../../store/stored-cache.js'
import { GameReply, LeagueGamesReply } from './schemas.js'
import { type GamesWorld, openGamesWorld } from './test-world.js'

let w: GamesWorld
beforeAll(async () => {
  w = await openGamesWorld()
})
afterAll(() => w.close())
afterEach(() => w.endFaults())

const ajv = new Ajv({ strict: false, validateFormats: false })
const isGame = ajv.compile(GameReply)
const isList = ajv.compile(LeagueGamesReply)

const DOWN = { status: 500, body: { error: 'internal error' } }
const later = (ms: number) => w.clock.set(w.clock.now() + ms)

const played = (isWanted: (game: PlayedGame) => boolean): PlayedGame => {
  const game = w.universe.games().find(isWanted)
  if (game === undefined) throw new Error('no such game is played')
  return game
}
const ofLeague = (code: string) =>
  played(({ league, slug }) => league.code === code && slug.includes('-2026-11-'))
const eventsOf = (game: PlayedGame) =>
  w.universe.catalogue.events().filter((event) => event.game?.id === game.id)

async function readGame(path: string) {
  const reply = await w.get(`/v2/sports/games/${path}`)
  expect(reply.statusCode, reply.body).toBe(200)
  const body = reply.json()
  expect(isGame(body), JSON.stringify(isGame.errors)).toBe(true)
  return body
}

async function readLeague(path: string) {
  const reply = await w.get(`/v2/sports/leagues/${path}`)
  expect(reply.statusCode, reply.body).toBe(200)
  const body = reply.json()
  expect(isList(body), JSON.stringify(isList.errors)).toBe(true)
  return body
}

test('games that are over are listed as closed with their scores, settled or not', async () => {
  const shown: string[] = []
  for (const { sport: league } of (await w.get('/v2/sports/leagues')).json().leagues) {
    const closed = await readLeague(`${league}/games?status=closed&limit=200`)
    const active = await readLeague(`${league}/games?limit=200`)
    const slugs = [...closed.games, ...active.games].map(({ slug }: Listed) => slug)
    expect(new Set(slugs).size).toBe(slugs.length)
    for (const { slug, status, score, period } of closed.games) {
      shown.push(status)
      const state = w.universe.gameState(played((game) => game.slug === slug))
      expect(state.ended).toBe(true)
      expect({ score, period }).toEqual({ score: state.score || null, period: state.period })
    }
    const over = w.universe.games().filter((game) => w.universe.gameState(game).ended)
    const missing = over.filter(({ league: { code } }) => code === league).map(({ slug }) => slug)
    expect(missing.filter((slug) => !slugs.includes(slug)).length).toBeLessThan(2)
  }
  expect(new Set(shown)).toEqual(new Set(['closed', 'final']))
})

describe('GET /v2/sports/games/{slug}', () => {
  test('200: the main event with the markets of all companions, in order, and working links', async () => {
    const game = ofLeague('epl')
    const events = eventsOf(game)
    expect(events.length).toBeGreaterThan(1)
    const body = await readGame(game.slug)
    expect(body).toMatchObject({ slug: game.slug, title: game.title, gameId: game.id })
    expect(body.teams.map(({ name }: { name: string }) => name)).toEqual([game.home.name, game.away.name])
    const ids = events.flatMap(({ markets }) => markets.map(({ id }) => id))
    expect(body.markets.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted())
    const [market] = body.markets
    expect(market.sportsMarketType).toBe('moneyline')
    expect(market._links).toEqual({
      ws: 'ws://here.test/ws',
      ws_subscribe: { action: 'subscribe', type: 'orderbook', token_ids: market.clobTokenIds },
      orderbook_rest: `http://here.test/v1/orderbook/${market.clobTokenIds[0]}`,
    })
    expect(market.outcomePrices.every((price: string) => /^[01](\.\d+)?$/.test(price))).toBe(true)
  })

  test('200: every name of the game leads to it', async () => {
    const game = ofLeague('mls')
    const body = await readGame(game.slug)
    for (const { id, slug, markets } of eventsOf(game)) {
      expect(await readGame(slug)).toEqual(body)
      expect(await readGame(slug.toUpperCase())).toEqual(body)
      expect(await readGame(`by-event/${id}`)).toEqual(body)
      expect(await readGame(`by-market/${markets[0]?.id}`)).toEqual(body)
    }
  })

  test('500 requests at once for a game that is not cached cost one round', async () => {
    const { slug } = ofLeague('cs2')
    const before = w.gammaProxy.seen.length
    const replies = await Promise.all(
      Array.from({ length: 500 }, (_, index) => w.get(`/v2/sports/games/${slug}?n=${index}`)),
    )
    expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(w.gammaProxy.seen.slice(before)).toEqual(['GET /events/keyset', 'GET /events/keyset'])
  })

  test.each([
    ['a slug that no event has', 'nba-xxx-yyy-2026-11-16', 404],
    ['a slug with invalid characters', encodeURIComponent('a/../b'), 400],
    ['a slug of spaces and signs', encodeURIComponent('é ?&='), 400],
    ['a slug without an end', 'a'.repeat(300), 400],
    ['an event that is no number', 'by-event/abc', 400],
    ['an event of 16 digits', `by-event/${'9'.repeat(16)}`, 400],
    ['an event that there is not', 'by-event/999999999999', 404],
    ['a market that there is not', 'by-market/123456789012345', 404],
    ['a market that is no number', 'by-market/-1', 400],
  ])('%s', async (_what, path, status) => {
    const reply = await w.get(`/v2/sports/games/${path}`)
    expect(reply.statusCode, reply.body).toBe(status)
    expect(reply.json()).toEqual({ error: expect.any(String) })
  })

  test('404: an id of a market is none of an event, and an event without a match-up is no game', async () => {
    const [market] = eventsOf(ofLeague('mls')).flatMap(({ markets }) => markets)
    expect((await w.get(`/v2/sports/games/by-event/${market?.id}`)).statusCode).toBe(404)
    const other = w.universe.catalogue.events().find(({ game }) => game === undefined)
    const replies = [
      await w.get(`/v2/sports/games/${other?.slug}`),
      await w.get(`/v2/sports/games/by-event/${other?.id}`),
      await w.get(`/v2/sports/games/by-market/${other?.markets[0]?.id}`),
    ]
    for (const reply of replies) {
      expect(reply.statusCode).toBe(404)
      expect(reply.json().error).toContain('is not a game')
    }
  })

  test('a stale answer is served for 12 hours while Gamma fails, then it is a 502', async () => {
    const { slug } = ofLeague('lol')
    const fresh = await readGame(slug)
    w.gammaProxy.answerInstead = () => DOWN
    later(60_000)
    expect(await readGame(slug)).toEqual({ ...fresh, stale: true })
    await w.endFaults()
    later(60_000)
    expect(await readGame(slug)).toEqual(fresh)
    w.gammaProxy.answerInstead = () => DOWN
    later(STALE_MS_MAX + 1)
    const lost = await w.get(`/v2/sports/games/${slug}`)
    expect(lost.statusCode).toBe(502)
    expect(lost.json()).toEqual({ error: 'temporary_data_provider_error', detail: 'gamma' })
  })

  test.each([
    ['nothing', {}],
    ['another shape', { events: {} }],
    ['only an entry that is none', { events: [{ id: [] }] }],
  ])('502: Gamma answers %s', async (_what, body) => {
    w.gammaProxy.answerInstead = () => ({ status: 200, body })
    expect((await w.get(`/v2/sports/games/${ofLeague('nfl').slug}`)).statusCode).toBe(502)
  })
})

type Listed = { slug: string; status: string; startTime: string; volume: number; markets: object[] }

test('a game that Gamma leaves out of its lists does not vanish', async () => {
  const { slug } = ofLeague('epl')
  const usual = await readGame(slug)
  later(60_000)
  w.gammaProxy.answerInstead = () => ({ status: 200, body: { events: [] } })
  expect(await readGame(slug)).toEqual({ ...usual, stale: true })
  later(60_000)
  w.gammaProxy.answerInstead = ({ searchParams }) =>
    searchParams.get('closed') === 'false' ? { status: 200, body: { events: [] } } : undefined
  expect((await w.get('/v2/sports/games/epl-no-game-2026-11-14')).statusCode).toBe(404)
})

describe('GET /v2/sports/leagues/{league}/games', () => {
  test('200: the match-ups that are not over, without companions and left-over events', async () => {
    for (const { sport } of (await w.get('/v2/sports/leagues')).json().leagues) {
      const body = await readLeague(`${sport}/games?limit=200`)
      expect(body).toMatchObject({ league: sport, status: 'active', fallback: false, stale: false })
      const expected = w.universe
        .games()
        .filter(({ league }) => league.code === sport)
        .filter((game) => !w.universe.gameState(game).ended)
      const slugs = body.games.map(({ slug }: Listed) => slug)
      expect(slugs.toSorted()).toEqual(expected.map(({ slug }) => slug).toSorted())
      for (const game of expected) {
        const { status } = body.games.find(({ slug }: Listed) => slug === game.slug)
        expect(status).toBe(w.universe.gameState(game).live ? 'live' : 'scheduled')
      }
    }
  })

  test('200: sorted by kick-off or volume, in pages', async () => {
    const starts = (await readLeague('nba/games')).games.map(({ startTime }: Listed) => startTime)
    expect(starts).toEqual(starts.toSorted().reverse())
    const byVolume = await readLeague('nba/games?sort=volume&direction=asc')
    const volumes = byVolume.games.map(({ volume }: Listed) => volume)
    expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => a - b))
    const page = await readLeague('nba/games?sort=volume&direction=asc&limit=2&offset=1')
    expect(page).toMatchObject({ count: 2, total: byVolume.total })
    expect(page.games).toEqual(byVolume.games.slice(1, 3))
    expect(await readLeague('NBA/games?offset=5000')).toMatchObject({ league: 'nba', games: [] })
  })

  test.each([
    ['an unknown league', 'xyz/games', 404],
    ['a league with invalid characters', 'n%2Fba/games', 400],
    ['an unknown status', 'nba/games?status=live', 400],
    ['an unknown sort', 'nba/games?sort=name', 400],
    ['an unknown direction', 'nba/games?direction=up', 400],
    ['a limit over 200', 'nba/games?limit=201', 400],
    ['a limit of 0', 'nba/games?limit=0', 400],
    ['an offset below 0', 'nba/games?offset=-1', 400],
  ])('%s', async (_what, path, status) => {
    const reply = await w.get(`/v2/sports/leagues/${path}`)
    expect(reply.statusCode, reply.body).toBe(status)
  })

  const KEYSET = '/events/keyset'
  const PAGINATION = '/events/pagination'
  test.each([
    ['nba', [KEYSET], 'gamma:/events'],
    ['nfl', [KEYSET, '/events'], 'gamma:/events/pagination'],
    ['epl', [KEYSET, '/events', PAGINATION], 'gamma:/series/{id}'],
    ['wta', [KEYSET], 'gamma:/events'],
  ])('%s while %j fail: the same games from %s', async (league, broken, source) => {
    const usual = await readLeague(`${league}/games?limit=200`)
    later(60_000)
    w.gammaProxy.answerInstead = ({ pathname }) => (broken.includes(pathname) ? DOWN : undefined)
    const body = await readLeague(`${league}/games?limit=200`)
    expect(body).toMatchObject({ source, fallback: true, stale: false, total: usual.total })
    const slugsOf = ({ games }: { games: Listed[] }) => games.map(({ slug }) => slug)
    expect(slugsOf(body)).toEqual(slugsOf(usual))
  })

  test('games are found by tag when the series is empty', async () => {
    later(60_000)
    w.gammaProxy.answerInstead = ({ searchParams, pathname }) => {
      if (searchParams.has('series_id')) {
        const body = pathname === '/events' ? [] : { events: [], data: [] }
        return { status: 200, body }
      }
      return pathname.startsWith('/series/') ? { status: 404, body: {} } : undefined
    }
    const body = await readLeague('nhl/games')
    expect(body).toMatchObject({ source: 'gamma:/events?tag', fallback: true })
    expect(body.count).toBeGreaterThan(0)
  })

  test('while no list answers: the last copy, marked, for 12 hours; then 502', async () => {
    later(60_000)
    const usual = await readLeague('atp/games')
    w.gammaProxy.answerInstead = () => DOWN
    later(60_000)
    const stale = await readLeague('atp/games')
    expect(stale).toEqual({ ...usual, stale: true })
    later(STALE_MS_MAX + 1)
    const lost = await w.get('/v2/sports/leagues/atp/games')
    expect(lost.statusCode).toBe(502)
    expect(lost.json()).toEqual({ error: 'temporary_data_provider_error', detail: 'gamma' })
  })

  test('an empty list is not believed while other lists fail', async () => {
    later(60_000)
    const usual = await readLeague('nba/games')
    expect(usual.count).toBeGreaterThan(0)
    later(60_000)
    w.gammaProxy.answerInstead = ({ pathname }) =>
      pathname === '/events/keyset' ? { status: 200, body: { events: [] } } : DOWN
    expect(await readLeague('nba/games')).toEqual({ ...usual, stale: true })
  })

  test('an empty list of leagues is not believed', async () => {
    await readLeague('nba/games')
    later(2 * 3_600_000)
    w.gammaProxy.answerInstead = ({ pathname }) =>
      pathname === '/sports' ? { status: 200, body: [] } : undefined
    await readLeague('nba/games')
    expect((await w.get('/v2/sports/leagues')).json()).toMatchObject({ stale: true })
  })

  test('a team that cannot be read does not end the list of teams', async () => {
    w.gammaProxy.answerInstead = ({ pathname, searchParams }) => {
      if (pathname !== '/teams') return undefined
      const offset = Number(searchParams.get('offset'))
      const length = Math.max(0, Math.min(100, 130 - offset))
      const teams = Array.from({ length }, (_, index) => ({ id: offset + index || 'none' }))
      return { status: 200, body: teams }
    }
    const { teams } = (await w.get('/v2/sports/leagues/atp/teams')).json()
    expect(teams).toHaveLength(129)
  })

  test.each(['429', '500', 'garbage', 'truncated', 'drop'] as const)(
    'Gamma in the mode %s: stale cached answers are served',
    async (mode) => {
      later(60_000)
      const { slug } = ofLeague('mls')
      await readGame(slug)
      await readLeague('mls/games')
      later(60_000)
      w.faults.set({ upstream: 'gamma', mode })
      expect(await readGame(slug)).toMatchObject({ stale: true })
      expect(await readLeague('mls/games')).toMatchObject({ stale: true })
    },
  )
})

test('the catalogue knows the events of ids, so that no further call is made', async () => {
  const events = eventsOf(ofLeague('epl'))
  const [event] = events
  const market = events.at(-1)?.markets[0]
  for (const { id } of events) await w.storeEvent(id)
  later(60_000)
  const before = w.gammaProxy.seen.length
  await readGame(`by-event/${event?.id}`)
  await readGame(`by-market/${market?.id}`)
  expect(w.gammaProxy.seen.slice(before)).toEqual(['GET /events/keyset', 'GET /events/keyset'])
})
