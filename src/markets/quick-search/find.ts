import { normalizeTokenId, parseTokenId } from '../../core/ids.js'
import { canonicalSlugOf } from '../../lookups/game-slug.js'
import { isSearchable, toQuerySlug, toQueryWords } from '../../lookups/query-words.js'
import type { Sql } from '../../store/connection.js'
import { selectExactMatches, selectFound } from '../search/queries.js'
import {
  type EventCard,
  type MarketCard,
  selectEventCards,
  selectEventIdsBySlug,
  selectIdsByText,
  selectMarketCards,
  selectMarketIdsByCondition,
  selectMarketOfToken,
  selectTagCards,
  selectUsersByPrefix,
  selectUsersBySubstring,
  selectWalletCards,
  type UserCard,
} from './queries.js'

export const RESULT_KINDS = [
  'market',
  'event',
  'game',
  'tag',
  'wallet',
  'user',
  'token',
  'condition',
] as const
export type ResultKind = (typeof RESULT_KINDS)[number]

/** Something that a person may have meant, and the page that shows it. */
export type SearchResult = {
  kind: ResultKind
  id: string
  title: string
  subtitle: string | null
  urlPath: string
  image: string | null
  /** null: it is nothing that closes. */
  isClosed: boolean | null
}

/** In the order of the answer. */
const RANKS = ['exact', 'names', 'open', 'closed', 'inside'] as const
type Ranked = { rank: (typeof RANKS)[number]; volume: number; result: SearchResult }

/** Fewer digits would name too many wallets. */
const HEX_DIGITS_MIN = 6
/** Shorter numbers are words, such as years. */
const TOKEN_DIGITS_MIN = 20
/** Fewer letters are in nearly every name, and no index finds them. */
const INSIDE_LETTERS_MIN = 3
/** Of names in one answer, so that markets have room. */
const NAMES_MAX = 4

/** What the text may mean, the best first. All of it is stored here: no upstream is called. */
export async function findResults(sql: Sql, q: string, limit: number): Promise<SearchResult[]> {
  const found = await findByForm(sql, q, limit)
  return found
    .map((ranked, index) => ({ ...ranked, index }))
    .sort((a, b) => RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank) || b.volume - a.volume || a.index - b.index)
    .slice(0, limit)
    .map(({ result }) => result)
}

/** What the text looks like says where to search. */
function findByForm(sql: Sql, q: string, limit: number): Promise<Ranked[]> {
  const [, digits] = /^0x([0-9a-f]{0,64})$/i.exec(q) ?? []
  if (digits !== undefined) {
    return digits.length < HEX_DIGITS_MIN ? Promise.resolve([]) : findHex(sql, digits.toLowerCase(), limit)
  }
  if (q.startsWith('@')) return findUsers(sql, q.slice(1), limit)
  if (/^\d+$/.test(q) && q.length >= TOKEN_DIGITS_MIN) return findToken(sql, q)
  return findText(sql, q, limit)
}

async function findHex(sql: Sql, digits: string, limit: number): Promise<Ranked[]> {
  const [wallets, marketIds] = await Promise.all([
    digits.length > 40 ? [] : selectWalletCards(sql, digits, limit),
    selectMarketIdsByCondition(sql, digits, limit),
  ])
  const address = `0x${digits}`
  // A wallet that nothing is known of has a page too, which says so.
  const isUnknown = digits.length === 40 && wallets.length === 0
  const listed = isUnknown ? [{ address, name: null }] : wallets
  const conditions = await selectMarketCards(sql, marketIds)
  return [
    ...listed.map((wallet) => toRanked('exact', toWallet(wallet))),
    ...conditions.map((market) => toRanked('exact', toCondition(market))),
  ]
}

async function findToken(sql: Sql, q: string): Promise<Ranked[]> {
  const token = parseTokenId(normalizeTokenId(q))
  const found = token === undefined ? undefined : await selectMarketOfToken(sql, token)
  if (found === undefined) return []
  const [market] = await selectMarketCards(sql, [found.market])
  if (market === undefined) return []
  const result = {
    ...toMarket(market),
    kind: 'token' as const,
    id: normalizeTokenId(q),
    subtitle: found.outcome,
  }
  return [toRanked('exact', result)]
}

async function findUsers(sql: Sql, text: string, limit: number): Promise<Ranked[]> {
  const name = text.toLowerCase()
  if (name === '') return []
  const starting = await selectUsersByPrefix(sql, name, limit)
  const hasRoom = starting.length < limit && name.length >= INSIDE_LETTERS_MIN
  const inside = hasRoom ? await selectUsersBySubstring(sql, name, limit - starting.length) : []
  const isExact = (user: UserCard) => user.name.toLowerCase() === name
  return [
    ...starting.map((user) => toRanked(isExact(user) ? 'exact' : 'names', toUser(user))),
    ...inside.map((user) => toRanked('inside', toUser(user))),
  ]
}

async function findTags(sql: Sql, text: string): Promise<Ranked[]> {
  const plain = text.toLowerCase()
  const tags = await selectTagCards(sql, plain, NAMES_MAX)
  return tags.map(({ slug, label, markets, isStart }) => {
    const isExact = slug === plain || label.toLowerCase() === plain
    return toRanked(isExact ? 'exact' : isStart ? 'names' : 'inside', {
      kind: 'tag',
      id: slug,
      title: label,
      subtitle: countOf(markets),
      urlPath: `/leaderboard?tag=${encodeURIComponent(slug)}`,
      image: null,
      isClosed: null,
    })
  })
}

async function findText(sql: Sql, q: string, limit: number): Promise<Ranked[]> {
  const [catalogue, tags, users] = await Promise.all([
    findInCatalogue(sql, q, limit),
    findTags(sql, q),
    findUsers(sql, q, NAMES_MAX),
  ])
  return [...catalogue, ...tags, ...users]
}

/** Markets, events and games: those that are open first. */
async function findInCatalogue(sql: Sql, q: string, limit: number): Promise<Ranked[]> {
  const words = toQueryWords(q)
  if (!isSearchable(words)) return []
  const slug = toQuerySlug(q)
  const byText = (table: 'markets' | 'events', isClosed: boolean, left: number) =>
    left > 0 ? selectIdsByText(sql, table, { words, isClosed, limit: left }) : Promise.resolve([])
  const [exact, exactEvents, openMarkets, openEvents] = await Promise.all([
    selectExactMatches(sql, slug),
    selectEventIdsBySlug(sql, slug),
    byText('markets', false, limit),
    byText('events', false, limit),
  ])
  const [closedMarkets, closedEvents] = await Promise.all([
    byText('markets', true, limit - openMarkets.length),
    byText('events', true, limit - openEvents.length),
  ])
  const marketIds = [...exact.slugged, ...exact.ofEvent.slice(0, limit), ...openMarkets, ...closedMarkets]
  const eventIds = [...exactEvents, ...openEvents, ...closedEvents]
  if (marketIds.length + eventIds.length === 0) {
    // The insides of words, and words that are misspelt.
    const page = { limit, offset: 0, after: undefined }
    const found = await selectFound(sql, { q, words, ...exact }, page)
    marketIds.push(...found.map(({ id }) => id))
  }
  const [markets, events] = await Promise.all([
    selectMarketCards(sql, marketIds),
    selectEventCards(sql, eventIds),
  ])
  const ranked = rankEvents(events, markets, slug)
  // The first market of a game has its slug.
  const games = new Set(ranked.map(({ result }) => (result.kind === 'game' ? result.id : undefined)))
  const others = markets.filter((market) => !games.has(market.slug))
  return [
    ...ranked,
    ...others.map((market) => toRanked(rankOf(market, slug), toMarket(market), market.volume)),
  ]
}

/** The events of a game are one, and an event of a single market that was found is that market. */
function rankEvents(events: readonly EventCard[], markets: readonly MarketCard[], slug: string): Ranked[] {
  const games = new Map<string, EventCard>()
  for (const event of events.filter(({ isGame }) => isGame)) {
    const game = canonicalSlugOf(event.slug)
    const { volume = 0, ...main } = games.get(game) ?? {}
    // The main event says when it starts.
    games.set(game, { ...event, ...(event.slug !== game && main), slug: game, volume: volume + event.volume })
  }
  const isFound = ({ id, marketCount }: EventCard) =>
    marketCount === 1 && markets.some((market) => market.event === id)
  const others = events.filter((event) => !event.isGame && !isFound(event))
  return [
    ...[...games.values()].map((game) => toRanked(rankOf(game, slug), toGame(game), game.volume)),
    ...others.map((event) => toRanked(rankOf(event, slug), toEvent(event), event.volume)),
  ]
}

function rankOf(card: { slug: string; closed: boolean }, slug: string): Ranked['rank'] {
  if (card.slug === slug) return 'exact'
  return card.closed ? 'closed' : 'open'
}

const toRanked = (rank: Ranked['rank'], result: SearchResult, volume = 0): Ranked => ({
  rank,
  volume,
  result,
})

const toMarket = ({ slug, question, condition, closed, image, eventTitle }: MarketCard): SearchResult => ({
  kind: 'market',
  id: condition ?? slug,
  title: question,
  subtitle: eventTitle === question ? null : eventTitle,
  urlPath: `/markets/${encodeURIComponent(slug)}`,
  image,
  isClosed: closed,
})

const toCondition = (market: MarketCard): SearchResult => ({ ...toMarket(market), kind: 'condition' })

const toEvent = ({ id, slug, title, closed, image, marketCount }: EventCard): SearchResult => ({
  kind: 'event',
  id: String(id),
  title,
  subtitle: countOf(marketCount),
  urlPath: `/events/${encodeURIComponent(slug)}`,
  image,
  isClosed: closed,
})

const toGame = ({ slug, title, closed, image, startsAt }: EventCard): SearchResult => ({
  kind: 'game',
  id: slug,
  title,
  subtitle: startsAt?.toISOString() ?? null,
  urlPath: `/sports/games/${encodeURIComponent(slug)}`,
  image,
  isClosed: closed,
})

const toUser = ({ name, wallet }: UserCard): SearchResult => ({
  kind: 'user',
  id: wallet,
  title: name,
  subtitle: wallet,
  urlPath: `/wallets/${encodeURIComponent(name)}`,
  image: null,
  isClosed: null,
})

const toWallet = ({ address, name }: { address: string; name: string | null }): SearchResult => ({
  kind: 'wallet',
  id: address,
  title: address,
  subtitle: name,
  urlPath: `/wallets/${address}`,
  image: null,
  isClosed: null,
})

const countOf = (markets: number): string => `${markets} ${markets === 1 ? 'market' : 'markets'}`
