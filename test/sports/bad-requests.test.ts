import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSimulatedApp, type SimulatedApp } from '../simulated-app.js'

let t: SimulatedApp
/** What a real game goes by, to be put into paths. */
let names: { slug: string; event: string; market: string }
beforeAll(async () => {
  t = await openSimulatedApp({ hasGames: true })
  const event = t.universe.catalogue.events().find(({ game }) => game !== undefined)
  const [market] = event?.markets ?? []
  names = { slug: event?.slug ?? '', event: event?.id ?? '', market: market?.id ?? '' }
})
afterAll(() => t.close())

const LONG = 'x'.repeat(10_000)
const BALL = encodeURIComponent('🏀')

/** Path, status, and what the refusal says. */
const REQUESTS: readonly [path: string, status: number, error: RegExp][] = [
  ['leagues/nosuch/teams', 404, /nosuch/],
  ['leagues/nosuch/games', 404, /nosuch/],
  [`leagues/${BALL}/teams`, 400, /league/],
  [`leagues/${BALL}/games`, 400, /league/],
  ['leagues/nba%2Fgames/teams', 400, /league/],
  ['leagues/nba/teams?limit=0', 400, /limit/],
  ['leagues/nba/teams?offset=-1', 400, /offset/],
  ['leagues/nba/games?status=sometimes', 400, /status.*Allowed: /],
  ['leagues/nba/games?sort=colour', 400, /sort.*Allowed: /],
  ['leagues/nba/games?direction=up', 400, /direction.*Allowed: asc, desc/],
  ['leagues/nba/games?limit=none', 400, /limit/],
  ['search', 400, /'q'/],
  ['search?q=', 400, /q/],
  [`search?q=${LONG}`, 400, /q/],
  ['search?q=%00', 400, /null character/],
  ['search?q=%ff', 400, /UTF-8/],
  ['search?q=a&limit=0', 400, /limit/],
  ['market-types?sport=%00', 400, /null character/],
  ['games/951032', 404, /./],
  ...['', '/state', '/prices', '/history', '/context'].flatMap((suffix): [string, number, RegExp][] => [
    [`games/nba-no-such-2026-11-14${suffix}`, 404, /nba-no-such-2026-11-14/],
    [`games/${LONG}${suffix}`, 414, /./],
    [`games/${'x'.repeat(201)}${suffix}`, 400, /slug/],
    [`games/${BALL}${suffix}`, 400, /slug/],
    [`games/a%2Fb${suffix}`, 400, /slug/],
    [`games/%00${suffix}`, 400, /null character/],
    [`games/by-event/999999999${suffix}`, 404, /999999999/],
    [`games/by-event/{market}${suffix}`, 404, /Event {market} not found/],
    [`games/by-event/nba${suffix}`, 400, /event_id/],
    [`games/by-event/${'9'.repeat(30)}${suffix}`, 400, /event_id/],
    [`games/by-market/999999999${suffix}`, 404, /999999999/],
    [`games/by-market/{event}${suffix}`, 404, /Market {event} not found/],
    [`games/by-market/-1${suffix}`, 400, /market_id/],
  ]),
  ['games/{slug}/state?price_limit_tokens=0', 400, /price_limit_tokens/],
  ['games/{slug}/prices?limit_tokens=1e3', 400, /limit_tokens/],
  ['games/{slug}/history?interval=2y', 400, /interval.*Allowed: max/],
  ['games/{slug}/history?start_ts=1793000000000', 400, /milliseconds/],
  [`games/{slug}/history?start_ts=${'9'.repeat(40)}`, 400, /start_ts/],
  ['games/{slug}/context?query_set=gossip', 400, /query_set.*Allowed: /],
  ['games/{slug}/context?sources=crystal-ball', 400, /sources/],
  ['games/{slug}/context?max_queries=0', 400, /max_queries/],
]

test('every bad request is refused by name', async () => {
  const fill = (text: string) =>
    text.replace(/\{(slug|event|market)\}/, (_, name) => names[name as keyof typeof names])
  const faults: string[] = []
  for (const [path, status, error] of REQUESTS) {
    const reply = await t.get(`/v2/sports/${fill(path)}`)
    const said = String(reply.json().error)
    const isRight = reply.statusCode === status && new RegExp(fill(error.source)).test(said)
    if (!isRight) faults.push(`${path.slice(0, 60)}: ${reply.statusCode} ${said}`)
  }
  expect(faults).toEqual([])
})
