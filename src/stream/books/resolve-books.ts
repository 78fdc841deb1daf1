import { ApiError } from '../../core/errors.js'
import { parseTokenId, toTokenId } from '../../core/ids.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { groupBy } from '../../lib/group-by.js'
import type { Sql } from '../../store/connection.js'
import {
  selectBooksOfConditions,
  selectBooksOfEvents,
  selectBooksOfMarkets,
  selectUnknownTokens,
  type TokensRow,
} from '../queries.js'
import type { Identifiers } from './book-request.js'

/** Token ids of one query: with more, the queries of others would wait longer for a connection. */
const TOKENS_PER_QUERY_MAX = 2_000
/** At most this many token ids that the catalogue lacks are looked up at the exchange, which takes 500 in one call. */
const EXCHANGE_TOKENS_MAX = 500

/** The books that a client named. */
export type ResolvedBooks = {
  /** Decimal, each once. More than `tokensMax` were found when there are more: there may be others. */
  tokenIds: string[]
  /** How many identifiers of each kind were found. */
  resolvedFrom: { token_ids: number; slugs: number; condition_ids: number }
  /** Identifiers that nothing was found for. */
  unresolved: string[]
  /** Whether some of them may be of the exchange, which did not answer. */
  isUnsure: boolean
}

/** What knows which books exist. */
export type BookSources = {
  sql: Sql
  /** Whether the token is followed, and known because of that. */
  isFollowed: (tokenId: string) => boolean
  /** Asks the exchange which of these tokens it has a book of. */
  findListed: (tokenIds: readonly string[]) => Promise<ReadonlySet<string>>
}

/**
 * Looks everything up that was named. A slug is that of an event, else that of a single market. A token is one that is
 * followed or that the catalogue has; of some others the exchange is asked, because a new market trades before
 * the catalogue has it. A book of a token that neither knows would take up a slot for nothing.
 */
export async function resolveBooks(
  sources: BookSources,
  named: Identifiers,
  tokensMax: number,
): Promise<ResolvedBooks> {
  const others = await lookUpNames(sources.sql, named, tokensMax)
  const { known, unknown, isUnsure } = await checkTokens(sources, named.tokenIds)
  return {
    ...others,
    tokenIds: [...new Set([...known, ...others.tokenIds])],
    resolvedFrom: { token_ids: known.length, ...others.resolvedFrom },
    unresolved: [...others.unresolved, ...unknown],
    isUnsure,
  }
}

/** The same for books of a set: token ids are taken as they are, because those that are not in the set do no harm. */
export async function resolveFollowed(sql: Sql, named: Identifiers, tokensMax: number): Promise<string[]> {
  const { tokenIds } = await lookUpNames(sql, named, tokensMax)
  return [...new Set([...named.tokenIds, ...tokenIds])]
}

async function checkTokens({ sql, isFollowed, findListed }: BookSources, tokenIds: ReadonlySet<string>) {
  const unknown = new Set<string>()
  const unsure = [...tokenIds].filter((tokenId) => !isFollowed(tokenId))
  for (let from = 0; from < unsure.length; from += TOKENS_PER_QUERY_MAX) {
    const page = unsure.slice(from, from + TOKENS_PER_QUERY_MAX)
    const tokens = page.map((tokenId) => parseTokenId(tokenId) ?? '0x')
    for (const index of await selectUnknownTokens(sql, tokens)) unknown.add(page[index] ?? '')
  }
  let isUnsure = false
  if (unknown.size > 0) {
    try {
      for (const tokenId of await findListed([...unknown].slice(0, EXCHANGE_TOKENS_MAX)))
        unknown.delete(tokenId)
    } catch (error) {
      // The account may also have used up its share of calls.
      if (!(error instanceof UpstreamError || error instanceof ApiError)) throw error
      isUnsure = true
    }
  }
  return { known: [...tokenIds].filter((tokenId) => !unknown.has(tokenId)), unknown, isUnsure }
}

/** The tokens of conditions and slugs, with one query for each kind. */
async function lookUpNames(sql: Sql, named: Identifiers, tokensMax: number) {
  const limit = tokensMax + 1
  const conditions = [...named.conditionIds]
  const slugs = [...named.slugs]
  const ofConditions = conditions.length === 0 ? [] : await selectBooksOfConditions(sql, conditions, limit)
  const ofEvents = slugs.length === 0 ? [] : await selectBooksOfEvents(sql, slugs, limit)
  const events = groupBy(ofEvents, ({ name }) => name)
  const others = slugs.filter((slug) => !events.has(slug))
  const ofMarkets = others.length === 0 ? [] : await selectBooksOfMarkets(sql, others, limit)
  const markets = withoutAmbiguous(ofMarkets)
  const found = new Set(ofConditions.map(({ name }) => name))
  const rows = [...ofConditions, ...ofEvents, ...markets.values()]
  return {
    tokenIds: rows.flatMap(({ tokens }) => tokens.map(toTokenId)),
    resolvedFrom: { slugs: events.size + markets.size, condition_ids: found.size },
    unresolved: [
      ...named.invalid,
      ...conditions.filter((condition) => !found.has(condition)),
      ...others.filter((slug) => !markets.has(slug)),
    ],
  }
}

/** A slug that several markets share names none of them. */
function withoutAmbiguous(rows: readonly TokensRow[]): Map<string, TokensRow> {
  const groups = groupBy(rows, ({ name }) => name)
  return new Map([...groups].flatMap(([name, [row, ...more]]) => (more.length === 0 ? [[name, row]] : [])))
}
