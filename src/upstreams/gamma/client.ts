import { type CallOptions, type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import { eachCursorPage, inBatches } from '../transport/paging.js'
import type { PathLimit } from '../transport/rate-limit.js'
import type { Query } from '../transport/url.js'
import {
  type GammaEvent,
  type GammaMarket,
  type GammaProfile,
  type GammaSeries,
  type GammaSeriesHead,
  type GammaTexts,
  isBinary,
  parseEvent,
  parseFoundEvents,
  parseFoundProfiles,
  parseGammaMarket,
  parseProfile,
  parseSeries,
  parseSeriesHead,
  parseTexts,
} from './parse.js'
import { type GammaSport, type GammaTeam, parseMarketTypes, parseSport, parseTeam } from './parse-sports.js'
import { type GammaLeagueSummaries, parseSportsSummary } from './parse-summary.js'
import {
  listOf,
  type SalvagedPage,
  type SalvagedSlice,
  salvageList,
  salvagePage,
  salvageSlice,
} from './salvage.js'

type Names = readonly string[]

/** The order of a list by one field. */
type GammaOrder = { order?: string; ascending?: boolean }

/** How many entries of a list by cursor; 20 when absent. */
type GammaLimit = { limit?: number }

/** Part of a list by position, as teams still have it. */
type GammaSlice = { limit?: number; offset?: number }

/**
 * The parameters of Gamma's lists under its own names, in camel case. Lists hide what is closed unless
 * `closed` is true, and then show nothing else.
 */
export type GammaEventFilter = GammaOrder & {
  id?: Names
  slug?: Names
  gameId?: string
  tagId?: string
  tagSlug?: string
  seriesId?: string
  seriesSlug?: string
  closed?: boolean
  titleSearch?: string
}

export type GammaMarketFilter = GammaOrder & {
  clobTokenIds?: Names
  conditionIds?: Names
  closed?: boolean
}

const windowMs = 10_000

/** What Gamma publishes, per address. */
const GAMMA_LIMITS: readonly PathLimit[] = [
  { paths: /^/, calls: 4_000, windowMs },
  { paths: /^\/events/, calls: 500, windowMs },
  { paths: /^\/markets/, calls: 300, windowMs },
  { paths: /^\/(events|markets)(\/keyset)?$/, calls: 900, windowMs },
  { paths: /^\/tags/, calls: 200, windowMs },
  { paths: /^\/public-search/, calls: 350, windowMs },
]

/** How much one call may ask for. */
const EVENT_SLUGS_MAX = 100
const MARKET_TOKENS_MAX = 50
const MARKET_CONDITIONS_MAX = 20
const SERIES_SLUGS_MAX = 50
const EVENTS_PER_PAGE = 100
const MARKETS_PER_PAGE = 100
const PROFILES_PER_PAGE = 50
/** A search shows the best matches first: what is not on its first pages is not there. */
const PROFILE_PAGES_MAX = 3

/** Gamma: the catalogue of events, markets, series and tags. */
export class GammaClient {
  readonly #http: HttpUpstream

  constructor(options: ConnectorOptions) {
    this.#http = new HttpUpstream({ ...options, name: 'gamma', limits: GAMMA_LIMITS })
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  /** The first ones that match, at most 500. */
  listEvents(filter: GammaEventFilter & GammaLimit, signal?: AbortSignal): Promise<GammaEvent[]> {
    const parse = listOf('events', parseEvent)
    return this.#http.get('/events/keyset', toGammaQuery(filter), { parse, signal })
  }

  /** The first ones that match, at most 100. */
  async listMarkets(filter: GammaMarketFilter & GammaLimit, signal?: AbortSignal): Promise<GammaMarket[]> {
    const parse = listOf('markets', parseGammaMarket)
    const query = toGammaQuery(filter)
    const markets = await this.#http.get('/markets/keyset', query, { parse, signal })
    return markets.filter(isBinary)
  }

  /** Every page of events that match, from that cursor on or from the first. */
  eachEventPage(
    filter: GammaEventFilter,
    from?: string | undefined,
    signal?: AbortSignal,
  ): AsyncGenerator<SalvagedPage<GammaEvent>> {
    return eachCursorPage('gamma', from, (cursor) => this.getEventPage(filter, cursor, signal))
  }

  /** Every page of markets that match, from that cursor on or from the first. */
  eachMarketPage(
    filter: GammaMarketFilter,
    from?: string | undefined,
    signal?: AbortSignal,
  ): AsyncGenerator<SalvagedPage<GammaMarket>> {
    return eachCursorPage('gamma', from, (cursor) => this.getMarketPage(filter, cursor, signal))
  }

  /** One page, the first without a cursor. An entry that cannot be parsed does not spoil it. */
  getEventPage(
    filter: GammaEventFilter,
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<SalvagedPage<GammaEvent>> {
    return this.readEventPage({ ...filter, limit: EVENTS_PER_PAGE }, cursor, { signal })
  }

  /** The same for a request that waits: of the given size, at most 500, and charged to its account. */
  readEventPage(
    filter: GammaEventFilter & GammaLimit,
    cursor: string | undefined,
    call: CallOptions = {},
  ): Promise<SalvagedPage<GammaEvent>> {
    const parse = salvagePage('events', parseEvent)
    const query = toGammaQuery({ ...filter, afterCursor: cursor })
    return this.#http.get('/events/keyset', query, { ...call, parse })
  }

  /** One page, the first without a cursor. An entry that cannot be parsed does not spoil it. */
  async getMarketPage(
    filter: GammaMarketFilter,
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<SalvagedPage<GammaMarket>> {
    const parse = salvagePage('markets', parseGammaMarket)
    const query = toGammaQuery({ ...filter, limit: MARKETS_PER_PAGE, afterCursor: cursor })
    const page = await this.#http.get('/markets/keyset', query, { parse, signal })
    return { ...page, items: page.items.filter(isBinary) }
  }

  /**
   * Part of a list by position; an answer is short only at the end of the list. An entry that cannot be
   * parsed does not spoil it. `/events/pagination` is the same list from other servers.
   */
  listEventSlice(
    path: '/events' | '/events/pagination',
    filter: GammaEventFilter & GammaSlice,
    call: CallOptions = {},
  ): Promise<SalvagedSlice<GammaEvent>> {
    const parse = salvageSlice(parseEvent)
    return this.#http.get(path, toGammaQuery(filter), { ...call, parse })
  }

  /** Open or closed. `undefined`: there is no such event. */
  getEvent(id: string, call: CallOptions = {}): Promise<GammaEvent | undefined> {
    return this.#http.find(`/events/${encodeURIComponent(id)}`, {}, { ...call, parse: parseEvent })
  }

  /** Open or closed. `undefined`: there is no event of that slug. */
  getEventBySlug(slug: string, call: CallOptions = {}): Promise<GammaEvent | undefined> {
    return this.#http.find(`/events/slug/${encodeURIComponent(slug)}`, {}, { ...call, parse: parseEvent })
  }

  /** By the id of the event. `undefined`: there is no such event. */
  getEventTexts(id: string, call: CallOptions = {}): Promise<GammaTexts | undefined> {
    return this.#http.find(`/events/${encodeURIComponent(id)}`, {}, { ...call, parse: parseTexts })
  }

  /** Open or closed, with the head of its event. `undefined`: there is no such market. */
  getMarket(id: string, call: CallOptions = {}): Promise<GammaMarket | undefined> {
    const path = `/markets/${encodeURIComponent(id)}`
    return this.#http.find(path, {}, { ...call, parse: parseGammaMarket })
  }

  /** By the id of the market. `undefined`: there is no such market. */
  getMarketRules(id: string, call: CallOptions = {}): Promise<GammaTexts | undefined> {
    const path = `/markets/${encodeURIComponent(id)}`
    return this.#http.find(path, {}, { ...call, parse: parseTexts })
  }

  /** Open or closed, by slug; those that do not exist are absent. */
  getEventsBySlugs(slugs: Iterable<string>, signal?: AbortSignal): Promise<Map<string, GammaEvent>> {
    return findOpenThenClosed(slugs, EVENT_SLUGS_MAX, async (batch, closed) => {
      const events = await this.listEvents({ slug: batch, closed, limit: batch.length }, signal)
      return events.map((event) => [event.slug, event])
    })
  }

  /** Open or closed, by token id; those that do not exist are absent. */
  getMarketsByTokens(tokenIds: Iterable<string>, signal?: AbortSignal): Promise<Map<string, GammaMarket>> {
    return findOpenThenClosed(tokenIds, MARKET_TOKENS_MAX, async (batch, closed) => {
      const filter = { clobTokenIds: batch, closed, limit: batch.length }
      const markets = await this.listMarkets(filter, signal)
      return markets.flatMap((market) => market.tokens.map(({ tokenId }) => [tokenId, market]))
    })
  }

  /** Open or closed, by condition id of 32 bytes; those that do not exist are absent. */
  getMarketsByConditions(
    conditionIds: Iterable<string>,
    signal?: AbortSignal,
  ): Promise<Map<string, GammaMarket>> {
    return findOpenThenClosed(conditionIds, MARKET_CONDITIONS_MAX, async (batch, closed) => {
      const filter = { conditionIds: batch, closed, limit: batch.length }
      const markets = await this.listMarkets(filter, signal)
      return markets.map((market) => [market.conditionId, market])
    })
  }

  /** With its open events. `undefined`: there is no such series. */
  getSeries(id: string, call: CallOptions = {}): Promise<GammaSeries | undefined> {
    const path = `/series/${encodeURIComponent(id)}`
    return this.#http.find(path, {}, { ...call, parse: parseSeries })
  }

  /** By slug, without their events; those that do not exist are absent. */
  async getSeriesBySlugs(slugs: Iterable<string>, call: CallOptions = {}): Promise<GammaSeriesHead[]> {
    const parse = salvageList(parseSeriesHead)
    const pages = await inBatches(slugs, SERIES_SLUGS_MAX, (slug) => {
      const query = toGammaQuery({ slug, excludeEvents: true, limit: slug.length })
      return this.#http.get('/series', query, { ...call, parse })
    })
    return pages.flat()
  }

  /** Events that match a text, the best first. */
  searchEvents(
    search: {
      q: string
      limitPerType: number
      eventsTag: readonly string[]
      /** For how many hours after its end a market is still found. */
      keepClosedMarkets: number
    },
    call: CallOptions = {},
  ): Promise<GammaEvent[]> {
    const query = toGammaQuery({ ...search, searchTags: false, searchProfiles: false })
    return this.#http.get('/public-search', query, { ...call, parse: parseFoundEvents })
  }

  /** `undefined`: the owner of the address has made no profile. */
  getProfile(address: string, call: CallOptions = {}): Promise<GammaProfile | undefined> {
    return this.#http.find('/public-profile', { address }, { ...call, parse: parseProfile })
  }

  /** The profile of that name, in any letter case. `undefined`: none of those that the search finds. */
  async findProfileByName(name: string, call: CallOptions = {}): Promise<GammaProfile | undefined> {
    const wanted = name.toLowerCase()
    for (let page = 1; page <= PROFILE_PAGES_MAX; page++) {
      const search = { q: name, page, limitPerType: PROFILES_PER_PAGE, searchTags: false }
      const query = toGammaQuery({ ...search, searchProfiles: true })
      const options = { ...call, parse: parseFoundProfiles }
      const profiles = await this.#http.get('/public-search', query, options)
      const found = profiles.find((profile) => profile.name?.toLowerCase() === wanted)
      if (found !== undefined || profiles.length < PROFILES_PER_PAGE) return found
    }
    return undefined
  }

  /** The leagues. An entry that cannot be parsed does not spoil the list. */
  listSports(call: CallOptions = {}): Promise<GammaSport[]> {
    return this.#http.get('/sports', {}, { ...call, parse: salvageList(parseSport) })
  }

  /** What goes on in the leagues; those that it leaves out are absent. */
  getSportsSummary(call: CallOptions = {}): Promise<GammaLeagueSummaries> {
    return this.#http.get('/sports/summary', {}, { ...call, parse: parseSportsSummary })
  }

  listMarketTypes(call: CallOptions = {}): Promise<string[]> {
    return this.#http.get('/sports/market-types', {}, { ...call, parse: parseMarketTypes })
  }

  /** At most 100 in one answer. An entry that cannot be parsed does not spoil it. */
  listTeams(
    filter: GammaSlice & GammaOrder & { league?: Names },
    call: CallOptions = {},
  ): Promise<SalvagedSlice<GammaTeam>> {
    const parse = salvageSlice(parseTeam)
    return this.#http.get('/teams', toGammaQuery(filter), { ...call, parse })
  }
}

/** A list shows either what is open or what is closed, so what is missing is requested once more. */
async function findOpenThenClosed<T>(
  keys: Iterable<string>,
  size: number,
  find: (batch: string[], closed: boolean) => Promise<[string | undefined, T][]>,
): Promise<Map<string, T>> {
  const wanted = new Set(keys)
  const found = new Map<string, T>()
  for (const closed of [false, true]) {
    const missing = [...wanted].filter((key) => !found.has(key))
    const answers = await inBatches(missing, size, (batch) => find(batch, closed))
    for (const [key, item] of answers.flat()) {
      if (key !== undefined && wanted.has(key)) found.set(key, item)
    }
  }
  return found
}

/** `tagSlug` is `tag_slug` to Gamma. */
const toGammaQuery = (filter: Query): Query =>
  Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
