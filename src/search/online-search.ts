import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import { ApiError, notConfigured } from '../core/errors.js'
import { type SearxngQuery, toPlainWords } from '../upstreams/searxng/client.js'
import type { SearxngResult, SearxngResults } from '../upstreams/searxng/parse.js'
import { UpstreamError } from '../upstreams/transport/errors.js'
import { withPatience } from '../upstreams/transport/patience.js'
import type { Upstreams } from '../upstreams/upstreams.js'

/** Results of one search, of which a caller gets as many as it asks for. */
export const ONLINE_RESULTS_MAX = 20
const HINTS_MAX = 10
/** How old an answer may be that stands in for engines that do not answer. */
const KEPT_MS_MAX = 12 * 60 * 60_000
/** An answer that lacks an engine is asked for again sooner. */
const PARTIAL_MS_MAX = 60_000
/** Characters of all answers in memory, and of one. */
const SIZE_MAX = 32 * 1024 * 1024
const ENTRY_SIZE_MAX = 256 * 1024
/** Includes the wait for a turn under the limits of the connector. */
const PATIENCE_MS = 8_000

export type OnlineAnswer = {
  /** The best first, each address once. */
  results: SearxngResult[]
  answers: string[]
  suggestions: string[]
  /** Engines that were asked and did not answer, or not this time. */
  unresponsive: SearxngResults['unresponsive']
  fetchedMs: number
  isCached: boolean
}

type Kept = Omit<OnlineAnswer, 'isCached'>

export type OnlineSearchOptions = {
  /** How old an answer this caller accepts. */
  ttlMs: number
  accountId: number
}

type OnlineSearchParts = { upstreams: Pick<Upstreams, 'searxng'>; clock: Clock }

/**
 * Searches of the web, with the answers of the last hours in memory. An answer that is older than a
 * caller accepts is replaced, and stands in when no engine answers.
 */
export class OnlineSearch {
  readonly #parts: OnlineSearchParts
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: SIZE_MAX,
    maxEntrySize: ENTRY_SIZE_MAX,
    sizeCalculation: (answer, key) => JSON.stringify(answer).length + key.length + 256,
  })

  constructor(parts: OnlineSearchParts) {
    this.#parts = parts
  }

  /** Throws an `ApiError` when it is not set up or no engine answers, and an `UpstreamError`. */
  async search(query: SearxngQuery, options: OnlineSearchOptions): Promise<OnlineAnswer> {
    const key = keyOf(query)
    const kept = this.#find(key)
    if (kept !== undefined && this.#isFresh(kept, options.ttlMs)) return { ...kept, isCached: true }
    try {
      const answer = await this.#fetch(query, options.accountId)
      this.#kept.set(key, answer)
      return { ...answer, isCached: false }
    } catch (error) {
      const unresponsive = unresponsiveOf(error, query)
      if (kept === undefined || unresponsive === undefined) throw error
      return { ...kept, unresponsive, isCached: true }
    }
  }

  /** Searches that are the same at the same time share one call of the connector. */
  async #fetch(query: SearxngQuery, accountId: number): Promise<Kept> {
    const { searxng } = this.#parts.upstreams
    if (searxng === undefined) throw notConfigured('Set AUSPEX_SEARXNG_URL to search the web.')
    const asked = { ...query, q: toPlainWords(query.q) }
    const call = (signal: AbortSignal) => searxng.search(asked, { signal, accountId })
    const found = await withPatience('searxng', call, PATIENCE_MS)
    const { unresponsive } = found
    if (isEmpty(found) && query.engines.every((name) => isNamed(unresponsive, name)))
      throw new SearchUnavailable(unresponsive)
    return {
      results: dropRepeated(found.results).slice(0, ONLINE_RESULTS_MAX),
      answers: found.answers.slice(0, HINTS_MAX),
      suggestions: found.suggestions.slice(0, HINTS_MAX),
      unresponsive,
      fetchedMs: this.#parts.clock.now(),
    }
  }

  #find(key: string): Kept | undefined {
    const kept = this.#kept.get(key)
    const isTooOld = kept !== undefined && this.#parts.clock.now() - kept.fetchedMs > KEPT_MS_MAX
    return isTooOld ? undefined : kept
  }

  #isFresh({ fetchedMs, unresponsive }: Kept, ttlMs: number): boolean {
    const acceptedMs = unresponsive.length > 0 ? Math.min(ttlMs, PARTIAL_MS_MAX) : ttlMs
    return this.#parts.clock.now() - fetchedMs < acceptedMs
  }
}

/** No engine answered, and there is no copy. */
class SearchUnavailable extends ApiError {
  override name = 'SearchUnavailable'
  readonly unresponsive: OnlineAnswer['unresponsive']

  constructor(unresponsive: OnlineAnswer['unresponsive']) {
    const fields = { unresponsive_engines: unresponsive }
    super(502, 'search_unavailable', fields, { retryAfterSeconds: 1 })
    this.unresponsive = unresponsive
  }
}

/** The engines that a fault means; `undefined`: it is another one, for which no copy stands in. */
function unresponsiveOf(error: unknown, { engines }: SearxngQuery) {
  if (error instanceof SearchUnavailable) return error.unresponsive
  if (!(error instanceof UpstreamError)) return undefined
  return engines.map((engine) => ({ engine, reason: 'SearXNG does not answer' }))
}

const keyOf = ({ q, engines, language, timeRange, safeSearch }: SearxngQuery): string =>
  JSON.stringify([toPlainWords(q).toLowerCase(), engines.toSorted(), language, timeRange, safeSearch])

const isEmpty = ({ results, answers }: SearxngResults): boolean => results.length + answers.length === 0

const isNamed = (unresponsive: OnlineAnswer['unresponsive'], name: string): boolean =>
  unresponsive.some(({ engine }) => engine === name)

/** The best first. */
function dropRepeated(results: readonly SearxngResult[]): SearxngResult[] {
  const seen = new Set<string>()
  return results.toSorted((a, b) => b.score - a.score).filter(({ url }) => !seen.has(url) && seen.add(url))
}
