import type { ConnectorOptions } from '../transport/http.js'
import { HttpUpstream } from '../transport/http.js'
import { eachCursorPage, inBatches } from '../transport/paging.js'
import { arrayOf, type Parser } from '../transport/parse-json.js'
import type { PathLimit } from '../transport/rate-limit.js'
import type { Query } from '../transport/url.js'
import {
  type GammaEventFilter,
  type GammaMarketFilter,
  type GammaSlice,
  toEventQuery,
  toMarketQuery,
} from './filters.js'
import {
  type GammaEvent,
  type GammaMarket,
  type GammaProfile,
  type GammaSearchResult,
  type GammaSeries,
  type GammaSport,
  type GammaTag,
  type GammaTeam,
  parseEvent,
  parseGammaMarket,
  parseProfile,
  parseSearchResult,
  parseSeries,
  parseSport,
  parseTag,
  parseTeam,
} from './parse.js'
import { type SalvagedPage, salvagePage } from './salvage.js'

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
const MARKET_IDS_MAX = 50
const EVENTS_PER_PAGE = 100
const MARKETS_PER_PAGE = 100

/** Gamma: the catalogue of events, markets, series and tags. */
export class GammaClient {
  readonly #http: HttpUpstream

  constructor(options: ConnectorOptions) {
    this.#http = new HttpUpstream({ ...options, name: 'gamma', limits: GAMMA_LIMITS })
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  listEvents(filter: GammaEventFilter & GammaSlice, signal?: AbortSignal): Promise<GammaEvent[]> {
    const { limit, offset } = filter
    return this.#list('/events', { ...toEventQuery(filter), limit, offset }, parseEvent, signal)
  }

  listMarkets(
    filter: GammaMarketFilter & GammaSlice,
    signal?: AbortSignal,
  ): Promise<GammaMarket[]> {
    const { limit, offset } = filter
    return this.#list(
      '/markets',
      { ...toMarketQuery(filter), limit, offset },
      parseGammaMarket,
      signal,
    )
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
    const parse = salvagePage('events', parseEvent)
    const query = { ...toEventQuery(filter), limit: EVENTS_PER_PAGE, after_cursor: cursor }
    return this.#http.get('/events/keyset', query, { parse, signal })
  }

  /** One page, the first without a cursor. An entry that cannot be parsed does not spoil it. */
  getMarketPage(
    filter: GammaMarketFilter,
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<SalvagedPage<GammaMarket>> {
    const parse = salvagePage('markets', parseGammaMarket)
    const query = { ...toMarketQuery(filter), limit: MARKETS_PER_PAGE, after_cursor: cursor }
    return this.#http.get('/markets/keyset', query, { parse, signal })
  }

  /** Open or closed. `undefined`: there is no such event. */
  getEventBySlug(slug: string, signal?: AbortSignal): Promise<GammaEvent | undefined> {
    const path = `/events/slug/${encodeURIComponent(slug)}`
    return this.#http.find(path, {}, { parse: parseEvent, signal })
  }

  /** Open or closed, by slug; those that do not exist are absent. */
  getEventsBySlugs(
    slugs: Iterable<string>,
    signal?: AbortSignal,
  ): Promise<Map<string, GammaEvent>> {
    return findOpenThenClosed(slugs, EVENT_SLUGS_MAX, async (batch, closed) => {
      const events = await this.listEvents({ slugs: batch, closed, limit: batch.length }, signal)
      return events.map((event) => [event.slug, event])
    })
  }

  /** Open or closed. `undefined`: there is no such market. */
  getMarketBySlug(slug: string, signal?: AbortSignal): Promise<GammaMarket | undefined> {
    const path = `/markets/slug/${encodeURIComponent(slug)}`
    return this.#http.find(path, {}, { parse: parseGammaMarket, signal })
  }

  /** Open or closed, by token id; those that do not exist are absent. */
  getMarketsByTokens(
    tokenIds: Iterable<string>,
    signal?: AbortSignal,
  ): Promise<Map<string, GammaMarket>> {
    return findOpenThenClosed(tokenIds, MARKET_IDS_MAX, async (batch, closed) => {
      const filter = { tokenIds: batch, closed, limit: batch.length }
      const markets = await this.listMarkets(filter, signal)
      return markets.flatMap((market) => market.tokens.map(({ tokenId }) => [tokenId, market]))
    })
  }

  /** Open or closed, by condition id; those that do not exist are absent. */
  getMarketsByConditions(
    conditionIds: Iterable<string>,
    signal?: AbortSignal,
  ): Promise<Map<string, GammaMarket>> {
    return findOpenThenClosed(conditionIds, MARKET_IDS_MAX, async (batch, closed) => {
      const filter = { conditionIds: batch, closed, limit: batch.length }
      const markets = await this.listMarkets(filter, signal)
      return markets.map((market) => [market.conditionId, market])
    })
  }

  /** At most 50 in one answer. */
  listSeries(
    filter: GammaSlice & {
      slugs?: readonly string[] | undefined
      closed?: boolean | undefined
      recurrence?: string | undefined
      excludeEvents?: boolean | undefined
    },
    signal?: AbortSignal,
  ): Promise<GammaSeries[]> {
    const { slugs, closed, recurrence, excludeEvents, limit, offset } = filter
    const query = { slug: slugs, closed, recurrence, exclude_events: excludeEvents, limit, offset }
    return this.#list('/series', query, parseSeries, signal)
  }

  /** At most 100 in one answer. */
  listTags(slice: GammaSlice, signal?: AbortSignal): Promise<GammaTag[]> {
    return this.#list('/tags', slice, parseTag, signal)
  }

  searchPublic(
    search: {
      q: string
      page?: number | undefined
      limitPerType?: number | undefined
      eventsStatus?: string | undefined
      searchTags?: boolean | undefined
      searchProfiles?: boolean | undefined
      sort?: string | undefined
      ascending?: boolean | undefined
    },
    signal?: AbortSignal,
  ): Promise<GammaSearchResult> {
    const { q, page, sort, ascending } = search
    const query = {
      q,
      page,
      limit_per_type: search.limitPerType,
      events_status: search.eventsStatus,
      search_tags: search.searchTags,
      search_profiles: search.searchProfiles,
      sort,
      ascending,
    }
    return this.#http.get('/public-search', query, { parse: parseSearchResult, signal })
  }

  /** `undefined`: the owner of the address has made no profile. */
  getProfile(address: string, signal?: AbortSignal): Promise<GammaProfile | undefined> {
    return this.#http.find('/public-profile', { address }, { parse: parseProfile, signal })
  }

  listSports(signal?: AbortSignal): Promise<GammaSport[]> {
    return this.#list('/sports', {}, parseSport, signal)
  }

  /** At most 100 in one answer. */
  listTeams(
    filter: GammaSlice & {
      leagues?: readonly string[] | undefined
      names?: readonly string[] | undefined
      abbreviations?: readonly string[] | undefined
    },
    signal?: AbortSignal,
  ): Promise<GammaTeam[]> {
    const { leagues, names, abbreviations, limit, offset } = filter
    const query = { league: leagues, name: names, abbreviation: abbreviations, limit, offset }
    return this.#list('/teams', query, parseTeam, signal)
  }

  #list<T>(path: string, query: Query, parseItem: Parser<T>, signal?: AbortSignal): Promise<T[]> {
    return this.#http.get(path, query, { parse: arrayOf(parseItem), signal })
  }
}

/** A list shows either what is open or what is closed, so what is missing is asked for once more. */
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
