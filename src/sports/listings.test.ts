import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LEAGUES } from '../../sim/universe/games/leagues.js'
import { JumpingTiming } from '../../test/jumping-timing.js'
import { openSimulatedApp, type SimulatedApp } from '../../test/simulated-app.js'
import { storeEntries } from '../catalogue/store.js'
import { STALE_MS_MAX } from '../store/stored-cache.js'
import { selectLeagueActivity } from './leagues/queries.js'

const HOUR_MS = 3_600_000

let t: SimulatedApp
beforeAll(async () => {
  t = await openSimulatedApp({ hasGames: true, timing: new JumpingTiming() })
  const deps = t.domains.catalogue
  for await (const { items } of deps.gamma.eachEventPage({ tagSlug: 'sports' }))
    await storeEntries(deps, { events: items })
})
afterAll(() => t.close())
afterEach(() => t.faults.set({ upstream: 'gamma', mode: 'off' }))

const ask = async (path: string) => {
  const reply = await t.get(`/v2/sports${path}`)
  return { status: reply.statusCode, body: reply.json() }
}

describe('GET /v2/sports/leagues', () => {
  test("200: the platform's rows as they are", async () => {
    const own = (await (await fetch(`${t.ctx.config.gammaUrl}/sports`)).json()) as object[]
    const { status, body } = await ask('/leagues')
    expect(status).toBe(200)
    expect(body).toMatchObject({ stale: false, count: LEAGUES.length })
    const fields = ['id', 'sport', 'image', 'resolution', 'ordering', 'tags', 'series'] as const
    for (const [index, row] of own.entries())
      for (const field of fields) expect(body.leagues[index][field]).toBe(Reflect.get(row, field))
    const esports = body.leagues.filter((league: { is_esports: boolean }) => league.is_esports)
    expect(esports.map(({ sport }: { sport: string }) => sport)).toEqual(['cs2', 'lol'])
  })
})

describe('GET /v2/sports/series', () => {
  type Series = { id: string; volume24hr: number; active: boolean }

  test("200: the series of leagues, with the platform's figures", async () => {
    const { status, body } = await ask('/series?status=all')
    expect(status).toBe(200)
    const ids = LEAGUES.flatMap(({ seriesId }) => seriesId ?? [])
    expect(body.series.map(({ id }: Series) => id).sort()).toEqual(ids.sort())
    expect(body).toMatchObject({ stale: false, count: ids.length })
    const volumes = body.series.map(({ volume24hr }: Series) => volume24hr)
    expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => b - a))
    const [first] = body.series
    const own = (await (await fetch(`${t.ctx.config.gammaUrl}/series/${first.id}`)).json()) as object
    for (const field of ['slug', 'title', 'seriesType', 'recurrence', 'volume', 'volume24hr', 'liquidity'])
      expect(first[field], field).toEqual(Reflect.get(own, field))
    expect((await ask('/series?limit=2')).body.series).toEqual(body.series.slice(0, 2))
  })

  test('200: one of them with its open events; 404: a series of no league', async () => {
    const { series } = (await ask('/series')).body
    const { status, body } = await ask(`/series/${series[0].id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ...series[0], stale: false, count: body.events.length })
    expect(body.events[0]).toMatchObject({ id: expect.any(String), closed: false, active: true })
    expect((await ask('/series/10684')).status).toBe(404)
    expect((await ask('/series/nba')).status).toBe(400)
  })

  test('400: names status and limit; 501: tournaments, on all plans', async () => {
    expect((await ask('/series?status=closed')).body.error).toContain('status')
    expect((await ask('/series?limit=501')).body.error).toContain('limit')
    expect((await ask('/tournaments')).status).toBe(501)
  })
})

describe('GET /v2/sports/leagues/{league}/teams', () => {
  test('200: all pages of the platform, by page of ours', async () => {
    const all = (await ask('/leagues/atp/teams')).body
    const players = LEAGUES.find(({ code }) => code === 'atp')?.teams ?? []
    expect(players.length).toBeGreaterThan(100)
    expect(all).toMatchObject({ league: 'atp', stale: false, total: players.length })
    expect(all.count).toBe(players.length)
    const page = (await ask('/leagues/ATP/teams?limit=7&offset=98')).body
    expect(page).toMatchObject({ league: 'atp', count: 7, total: players.length })
    expect(page.teams).toEqual(all.teams.slice(98, 105))
    expect((await ask('/leagues/atp/teams?offset=5000')).body).toMatchObject({
      count: 0,
      teams: [],
    })
  })

  test('200: a team', async () => {
    const [team] = LEAGUES.find(({ code }) => code === 'nba')?.teams ?? []
    const { body } = await ask('/leagues/nba/teams?limit=1')
    expect(body.teams).toEqual([
      {
        id: team?.id,
        name: team?.name,
        league: 'nba',
        record: expect.any(String),
        logo: expect.any(String),
        abbreviation: team?.abbreviation,
        providerId: team?.providerId,
        alias: expect.anything(),
        color: expect.stringMatching(/^#/),
      },
    ])
  })

  test('200: a league without a roster has no teams', async () => {
    expect((await ask('/leagues/cs2/teams')).body).toMatchObject({ count: 0, total: 0, teams: [] })
  })

  test('404: an unknown league, which is named', async () => {
    const { status, body } = await ask('/leagues/quidditch/teams')
    expect(status).toBe(404)
    expect(body.error).toContain('quidditch')
  })

  test.each([
    ['limit', '/leagues/nba/teams?limit=501'],
    ['limit', '/leagues/nba/teams?limit=0'],
    ['offset', '/leagues/nba/teams?offset=-1'],
    ['league', '/leagues/n%00ba/teams'],
    ['league', '/leagues/%F0%9F%8F%80/teams'],
    ['league', `/leagues/${'a'.repeat(41)}/teams`],
  ])('400: %s in %s', async (name, path) => {
    const { status, body } = await ask(path)
    expect(status).toBe(400)
    expect(body.error).toMatch(new RegExp(`${name}|null character`, 'i'))
  })
})

type SummaryRow = {
  league: string
  live_events: number
  latest_event_date: string
  dates: string[]
}

describe('GET /v2/sports/summary', () => {
  test("200: all leagues, also those that the platform's summary lacks", async () => {
    const ofGamma = (await (await fetch(`${t.ctx.config.gammaUrl}/sports/summary`)).json()) as object
    const { status, body } = await ask('/summary')
    expect(status).toBe(200)
    expect(Object.keys(ofGamma).length).toBeLessThan(LEAGUES.length)
    expect(body).toMatchObject({
      source: 'gamma:/sports/summary+auspex:catalogue',
      fallback: true,
      stale: false,
      count: LEAGUES.length,
    })
    const rows = body.leagues as SummaryRow[]
    expect(rows.map(({ league }) => league)).toEqual(LEAGUES.map(({ code }) => code).sort())
    for (const row of rows) expect(row.latest_event_date).toBe(row.dates.at(-1))
  })

  test('what is counted here is what the platform counts', async () => {
    const ofGamma = (await (await fetch(`${t.ctx.config.gammaUrl}/sports/summary`)).json()) as Record<
      string,
      { activeEvents: number; upcoming: boolean }
    >
    const scopes = LEAGUES.map(({ code, seriesId }) => ({
      league: code,
      series: seriesId === undefined ? null : Number(seriesId),
      tag: null,
    }))
    const counted = await selectLeagueActivity(t.ctx.sql, scopes, t.clock.now())
    for (const { league, activeEvents, isUpcoming } of counted) {
      const row = ofGamma[league === 'lol' ? 'league-of-legends' : league]
      if (row === undefined) continue
      const expected = { activeEvents: row.activeEvents, isUpcoming: row.upcoming }
      expect({ league, activeEvents, isUpcoming }).toEqual({ league, ...expected })
    }
    expect(counted.map(({ league }) => league)).toEqual(LEAGUES.map(({ code }) => code).sort())
  })
})

test('GET /v2/sports/live: 200, the summary by field', async () => {
  const rows = (await ask('/summary')).body.leagues
  const { status, body } = await ask('/live')
  expect(status).toBe(200)
  expect(body.summary_league_count).toBeLessThan(rows.length)
  const live: string[] = []
  for (const row of rows) {
    expect(body.volumes_24h[row.league]).toBe(row.volume_24h)
    expect(body.market_counts[row.league]).toBe(row.market_count)
    expect(body.latest_event_dates[row.league]).toBe(row.latest_event_date ?? undefined)
    expect(body.upcoming_leagues.includes(row.league)).toBe(row.upcoming)
    if (row.has_live) live.push(row.league)
  }
  expect(body.live_leagues).toEqual(live)
  expect(live.length).toBeGreaterThan(0)
})

describe('GET /v2/sports/market-types', () => {
  test('200: the codes of the platform, each with a label and a category', async () => {
    const { body } = await ask('/market-types')
    expect(body).toMatchObject({ source: 'gamma:/sports/market-types', stale: false })
    expect(body.market_types.map(({ code }: { code: string }) => code)).toEqual(body.marketTypes)
    expect(body.count).toBe(body.marketTypes.length)
    expect(body.marketTypes).toContain('moneyline')
  })

  test.each([
    ['nba', 'points', 'soccer_exact_score'],
    ['basketball', 'points', 'soccer_exact_score'],
    ['EPL', 'soccer_exact_score', 'points'],
  ])('200: of %s', async (sport, has, lacks) => {
    const { marketTypes } = (await ask(`/market-types?sport=${sport}`)).body
    expect(marketTypes).toContain('moneyline')
    expect(marketTypes).toContain(has)
    expect(marketTypes).not.toContain(lacks)
  })

  test('400: an unknown sport, with those that are known', async () => {
    const { status, body } = await ask('/market-types?sport=quidditch')
    expect(status).toBe(400)
    expect(body.error).toMatch(/^Invalid sport\. Allowed: basketball, /)
  })
})

describe('GET /v2/sports/search', () => {
  const teamName = () => LEAGUES.find(({ code }) => code === 'nba')?.teams[0]?.name ?? ''

  test('200: games and teams by name', async () => {
    const { status, body } = await ask(`/search?q=${encodeURIComponent(teamName())}&limit=3`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      query: teamName(),
      source: 'gamma:/public-search',
      fallback: false,
    })
    expect(body.count).toBe(body.results.length)
    expect(body.results.length).toBeGreaterThan(0)
    for (const row of body.results) {
      expect(row).toMatchObject({ category: 'Sports', title: expect.stringContaining(teamName()) })
      expect(row.slug).not.toMatch(/-more-markets$/)
    }
    expect(body.teams[0]).toMatchObject({ name: teamName(), league: 'nba' })
  })

  test.each(['%F0%9F%8F%80', '%27%3B--', 'a'.repeat(200), '%25_%5C'])(
    '200: nothing is found by %s',
    async (q) => {
      expect(await ask(`/search?q=${q}`)).toMatchObject({ status: 200, body: { count: 0 } })
    },
  )

  test.each([
    ['q', '/search'],
    ['q', '/search?q='],
    ['q', `/search?q=${'a'.repeat(201)}`],
    ['q', '/search?q=a%00b'],
    ['q', '/search?q=%E2%80%AE%EF%BB%BF'],
    ['limit', '/search?q=hawks&limit=51'],
    ['limit', '/search?q=hawks&limit=x'],
  ])('400: %s in %s', async (name, path) => {
    const { status, body } = await ask(path)
    expect(status).toBe(400)
    expect(body.error).toMatch(new RegExp(`${name}|null character`, 'i'))
  })
})

describe('while the platform does not answer', () => {
  const fail = () => {
    t.clock.advance(2 * HOUR_MS)
    t.faults.set({ upstream: 'gamma', mode: '500' })
  }

  test.each(['/leagues', '/leagues/nba/teams', '/market-types'])(
    '%s: the last copy, and a 404 stays one',
    async (path) => {
      const { body: before } = await ask(path)
      fail()
      const { status, body } = await ask(path)
      expect(status).toBe(200)
      expect(body).toEqual({ ...before, stale: true })
      expect((await ask('/leagues/quidditch/teams')).status).toBe(404)
    },
  )

  test('/summary and /live: counted here', async () => {
    fail()
    const { status, body } = await ask('/summary')
    expect(status).toBe(200)
    expect(body).toMatchObject({ source: 'auspex:catalogue', fallback: true, stale: false })
    expect(body.leagues.length).toBeGreaterThan(0)
    expect((await ask('/live')).body).toMatchObject({ summary_league_count: 0, fallback: true })
  })

  test('/search: found in the catalogue, with teams of the copy', async () => {
    const name = LEAGUES[0]?.teams[1]?.name ?? ''
    const { body: before } = await ask(`/search?q=${name}`)
    fail()
    const { status, body } = await ask(`/search?q=${name}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ source: 'auspex:catalogue', fallback: true })
    expect(body.results.length).toBeGreaterThan(0)
    expect(body.teams).toEqual(before.teams)
  })

  test('502 when the cached answers are too old; market types are those that are known here', async () => {
    t.clock.advance(STALE_MS_MAX)
    fail()
    expect(await ask('/leagues')).toMatchObject({
      status: 502,
      body: { error: 'temporary_data_provider_error', detail: 'gamma' },
    })
    const types = (await ask('/market-types')).body
    expect(types).toMatchObject({ source: 'auspex:market-types', fallback: true, stale: false })
    expect(types.count).toBeGreaterThan(100)
  })
})
