import { toTokenId } from '../../core/ids.js'
import type { Sql } from '../../store/connection.js'
import { Refusal } from '../connection.js'
import { selectTokensOfConditions, selectTokensOfSlugs, type TokensRow } from '../queries.js'
import type { MarketScope } from './event-filter.js'
import { bothSpellings, type SubscribeRequest } from './subscribe-request.js'

/** Markets that the slugs or the conditions of one subscription may stand for. */
const MARKETS_MAX = 50_000
const UNRESOLVED_NAMED_MAX = 100

type ResolvedMarkets = { scopes: MarketScope[]; warnings: string[] }

/**
 * Finds the tokens of the slugs and conditions of a request. What is not found is named in a warning;
 * if nothing of a filter is found, it throws a `Refusal`.
 */
export async function resolveMarkets(sql: Sql, request: SubscribeRequest): Promise<ResolvedMarkets> {
  const { tokens, slugs, conditionIds } = request
  const scopes: MarketScope[] = tokens === undefined ? [] : [{ tokens }]
  const warnings: string[] = []
  if (slugs !== undefined) {
    const found = await selectTokensOfSlugs(sql, [...slugs], MARKETS_MAX + 1)
    const { tokens, resolved } = collect(slugs, found, 'slugs', warnings)
    scopes.push({ tokens, slugs: resolved })
  }
  if (conditionIds !== undefined && isOfCombos(request)) {
    scopes.push({ tokens: new Set(), conditionIds: bothSpellings(conditionIds) })
  } else if (conditionIds !== undefined) {
    const found = await selectTokensOfConditions(sql, [...conditionIds], MARKETS_MAX + 1)
    const { tokens, resolved } = collect(conditionIds, found, 'condition_ids', warnings)
    scopes.push({ tokens, conditionIds: bothSpellings(resolved) })
  }
  return { scopes, warnings }
}

/** The catalogue has no combos: their events say which conditions they are of. */
const isOfCombos = ({ filter }: SubscribeRequest): boolean =>
  filter.types.size > 0 && [...filter.types].every((type) => type.startsWith('combo_'))

function collect(
  names: ReadonlySet<string>,
  rows: readonly TokensRow[],
  filter: 'slugs' | 'condition_ids',
  warnings: string[],
) {
  if (rows.length > MARKETS_MAX) {
    const message = `the ${filter} stand for more than ${MARKETS_MAX} markets`
    throw new Refusal('filter_limit', message, { max: MARKETS_MAX })
  }
  const resolved = new Set(rows.map(({ name }) => name))
  const unresolved = [...names].filter((name) => !resolved.has(name))
  if (resolved.size === 0) {
    throw new Refusal(`unresolved_${filter}`, `no market has the ${filter} ${list(unresolved)}`)
  }
  if (unresolved.length > 0) warnings.push(`unresolved ${filter}: ${list(unresolved)}`)
  return { tokens: new Set(rows.flatMap((row) => row.tokens).map(toTokenId)), resolved }
}

function list(names: readonly string[]): string {
  const more = names.length - UNRESOLVED_NAMED_MAX
  const named = names.slice(0, UNRESOLVED_NAMED_MAX).join(', ')
  return more > 0 ? `${named} and ${more} more` : named
}
