import type { GammaClient, GammaEventFilter } from '../../upstreams/gamma/client.js'
import type { GammaEvent } from '../../upstreams/gamma/parse.js'
import type { GammaSport } from '../../upstreams/gamma/parse-sports.js'
import type { CallOptions } from '../../upstreams/transport/http.js'
import { eachCursorPage } from '../../upstreams/transport/paging.js'
import type { SportsSource, SportsTools } from '../sources.js'
import type { Game } from './game.js'
import { dropCompanions, toListedGames } from './pick-games.js'

/** Of a league with more events the newest are read. Companions count. */
const EVENTS_MAX = 2_000
/** An event of a busy league has some hundred kilobytes. */
const EVENTS_PER_PAGE = 100
/** Lists by position are not sure to answer more at once. */
const EVENTS_PER_SLICE = 100
const SLICES_AT_ONCE = 5
/** A league may have played for years. */
export const CLOSED_GAMES_MAX = 500

type EventPages = AsyncIterable<readonly GammaEvent[]>

/** The lists that have the games of a league, the best one first. The last resort is its tag. */
export function gameSourcesOf(
  { platform, deps }: SportsTools,
  league: GammaSport,
  closed: boolean,
): SportsSource<Game[]>[] {
  const { gamma } = deps.upstreams
  const { series, sport, primaryTagId } = league
  const newest = { closed, order: closed ? 'closed_time' : 'id', ascending: false }
  const tag = primaryTagId === undefined ? { tagSlug: sport } : { tagId: primaryTagId }
  const byTag = { ...newest, ...tag }
  const filter = series === undefined ? byTag : { ...newest, seriesId: series }
  const source = (name: string, isByTag: boolean, readPages: (call: CallOptions) => EventPages) => ({
    name,
    read: (call: CallOptions) => {
      const pages = readPages(call)
      return collectGames(isByTag ? eachOfLeague(pages, sport) : pages, closed, platform.clock.now())
    },
  })
  const isByTag = series === undefined
  const lists = [
    source('gamma:/events/keyset', isByTag, (call) => eachPage(gamma, filter, call)),
    source('gamma:/events', isByTag, (call) => eachSlice(gamma, '/events', filter, call)),
    source('gamma:/events/pagination', isByTag, (call) =>
      eachSlice(gamma, '/events/pagination', filter, call),
    ),
  ]
  if (series === undefined) return lists
  return [
    ...lists,
    source('gamma:/series/{id}', false, (call) => eachOfSeries(gamma, series, closed, call)),
    source('gamma:/events?tag', true, (call) => eachSlice(gamma, '/events', byTag, call)),
  ]
}

/** Events are filtered page by page: a small part of what Gamma sends is kept. */
async function collectGames(pages: EventPages, closed: boolean, nowMs: number): Promise<Game[]> {
  const games: Game[] = []
  for await (const events of pages) {
    games.push(...toListedGames(events, nowMs))
    if (closed && games.length >= CLOSED_GAMES_MAX) break
  }
  const matchUps = dropCompanions(games)
  return closed ? matchUps.slice(0, CLOSED_GAMES_MAX) : matchUps
}

async function* eachPage(gamma: GammaClient, filter: GammaEventFilter, call: CallOptions) {
  let count = 0
  const limited = { ...filter, limit: EVENTS_PER_PAGE }
  const readPage = (cursor: string | undefined) => gamma.readEventPage(limited, cursor, call)
  for await (const { items } of eachCursorPage('gamma', undefined, readPage)) {
    yield items
    count += EVENTS_PER_PAGE
    if (count >= EVENTS_MAX) return
  }
}

/** Most leagues fit into the first slice; of the others several are read at once. */
async function* eachSlice(
  gamma: GammaClient,
  path: '/events' | '/events/pagination',
  filter: GammaEventFilter,
  call: CallOptions,
) {
  const readAt = (offset: number) =>
    gamma.listEventSlice(path, { ...filter, limit: EVENTS_PER_SLICE, offset }, call)
  for (let offset = 0; offset < EVENTS_MAX; ) {
    const count = offset === 0 ? 1 : SLICES_AT_ONCE
    const offsets = Array.from({ length: count }, (_, index) => offset + index * EVENTS_PER_SLICE)
    const slices = await Promise.all(offsets.map(readAt))
    for (const { items } of slices) yield items
    if (slices.some(({ entryCount }) => entryCount < EVENTS_PER_SLICE)) return
    offset += count * EVENTS_PER_SLICE
  }
}

/** A series shows its events without their markets. */
async function* eachOfSeries(gamma: GammaClient, id: string, closed: boolean, call: CallOptions) {
  const { events = [] } = (await gamma.getSeries(id, call)) ?? {}
  const wanted = events.filter((event) => (event.closed ?? false) === closed)
  yield wanted.map((event): GammaEvent => ({ ...event, markets: [] }))
}

/** A tag may belong to several leagues. */
async function* eachOfLeague(pages: EventPages, sport: string) {
  for await (const events of pages) {
    yield events.filter(({ slug = '' }) => slug.startsWith(`${sport}-`))
  }
}
