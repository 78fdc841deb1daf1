import { toTokenId } from '../../core/ids.js'
import { groupBy } from '../../lib/group-by.js'
import type { Sql } from '../../store/connection.js'
import {
  selectBooksOfConditions,
  selectBooksOfEvents,
  selectBooksOfMarkets,
  type TokensRow,
} from '../queries.js'
import type { Identifiers } from './book-request.js'

/** The books that a client named. */
export type ResolvedBooks = {
  /** Decimal, each once. More than `tokensMax` were found when there are more: there may be others. */
  tokenIds: string[]
  /** How many identifiers of each kind were found. */
  resolvedFrom: { token_ids: number; slugs: number; condition_ids: number }
  /** Identifiers that nothing was found for. */
  unresolved: string[]
}

/**
 * Token ids are taken as they are, because a new market trades before the catalogue has it. The rest
 * is looked up, with one query for each kind; a slug is that of an event, else that of a single market.
 */
export async function resolveBooks(sql: Sql, named: Identifiers, tokensMax: number): Promise<ResolvedBooks> {
  const tokenIds = new Set(named.tokenIds)
  const limit = tokensMax + 1
  const conditions = [...named.conditionIds]
  const slugs = [...named.slugs]
  const ofConditions = conditions.length === 0 ? [] : await selectBooksOfConditions(sql, conditions, limit)
  const ofEvents = slugs.length === 0 ? [] : await selectBooksOfEvents(sql, slugs, limit)
  const events = groupBy(ofEvents, ({ name }) => name)
  const others = slugs.filter((slug) => !events.has(slug))
  const ofMarkets = others.length === 0 ? [] : await selectBooksOfMarkets(sql, others, limit)
  const markets = withoutAmbiguous(ofMarkets)

  for (const { tokens } of [...ofConditions, ...ofEvents, ...markets.values()])
    for (const token of tokens) tokenIds.add(toTokenId(token))
  const found = new Set(ofConditions.map(({ name }) => name))
  return {
    tokenIds: [...tokenIds],
    resolvedFrom: {
      token_ids: named.tokenIds.size,
      slugs: events.size + markets.size,
      condition_ids: found.size,
    },
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
