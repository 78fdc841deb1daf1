import type { Clock } from '../../core/clock.js'
import { ApiError, notConfigured } from '../../core/errors.js'
import { StaleFallbackCache } from '../../lib/stale-fallback-cache.js'
import { withUpstreamTimeout } from '../transport/upstream-timeout.js'
import { type SearxngClient, type SearxngQuery, toPlainWords } from './client.js'
import type { SearxngResult, SearxngResults } from './parse.js'

/** Results of one search, of which a caller gets as many as it asks for. */
export const ONLINE_RESULTS_MAX = 20
const HINTS_MAX = 10
/** How old an answer may be that stands in for engines that do not answer. */
const STALE_MS_MAX = 12 * 60 * 60_000
/** An answer that lacks an engine is requested again sooner. */
const PARTIAL_MS_MAX = 60_000
/** Characters of all answers in memory, and of one. */
const SIZE_MAX = 32 * 1024 * 1024
const ENTRY_SIZE_MAX = 256 * 1024
/** Includes the wait under the rate limits of the connector. */
const TIMEOUT_MS = 8_000

export type OnlineAnswer = {
  /** The best first, each address once. */
  results: SearxngResult[]
  answers: string[]
  suggestions: string[]
  /** Requested engines that did not answer, or not this time. */
  unresponsive: SearxngResults['unresponsive']
  fetchedMs: number
  isCached: boolean
}

type Found = Omit<OnlineAnswer, 'isCached' | 'fetchedMs'>

export type OnlineSearchOptions = {
  /** How old an answer this caller accepts. */
  ttlMs: number
  accountId: number
}

type OnlineSearchDeps = { upstreams: { readonly searxng: SearxngClient | undefined }; clock: Clock }

/**
 * Searches of the web, with the answers of the last hours in memory. An answer that is older than a
 * caller accepts is replaced, and stands in when no engine answers.
 */
export class OnlineSearch {
  readonly #upstreams: OnlineSearchDeps['upstreams']
  readonly #cache: StaleFallbackCache

  constructor({ upstreams, clock }: OnlineSearchDeps) {
    this.#upstreams = upstreams
    const limits = { maxSize: SIZE_MAX, maxEntrySize: ENTRY_SIZE_MAX }
    this.#cache = new StaleFallbackCache({ clock, limits, staleMsMax: STALE_MS_MAX })
  }

  /** Throws an `ApiError` when it is not set up or no engine answers, and an `UpstreamError`. */
  async search(query: SearxngQuery, { ttlMs, accountId }: OnlineSearchOptions): Promise<OnlineAnswer> {
    const freshMs = ({ unresponsive }: Found) =>
      Math.min(ttlMs, unresponsive.length > 0 ? PARTIAL_MS_MAX : STALE_MS_MAX)
    const load = () => this.#fetch(query, accountId)
    try {
      const { value, asOfMs, isHit, isStale, fault } = await this.#cache.get(keyOf(query), {
        freshMs,
        accountId,
        load,
      })
      const unresponsive = isStale ? unresponsiveOf(fault, query) : value.unresponsive
      return { ...value, unresponsive, fetchedMs: asOfMs, isCached: isHit || isStale }
    } catch (error) {
      if (!(error instanceof EnginesSilent)) throw error
      const fields = { unresponsive_engines: error.unresponsive }
      throw new ApiError(502, 'search_unavailable', fields, { retryAfterSeconds: 1 })
    }
  }

  async #fetch(query: SearxngQuery, accountId: number): Promise<Found> {
    const { searxng } = this.#upstreams
    if (searxng === undefined) throw notConfigured('Set AUSPEX_SEARXNG_URL to search the web.')
    const plain = { ...query, q: toPlainWords(query.q) }
    const call = (signal: AbortSignal) => searxng.search(plain, { signal, accountId })
    const found = await withUpstreamTimeout('searxng', call, TIMEOUT_MS)
    const { unresponsive } = found
    if (isEmpty(found) && query.engines.every((name) => isNamed(unresponsive, name)))
      throw new EnginesSilent(unresponsive)
    return {
      results: dropRepeated(found.results).slice(0, ONLINE_RESULTS_MAX),
      answers: found.answers.slice(0, HINTS_MAX),
      suggestions: found.suggestions.slice(0, HINTS_MAX),
      unresponsive,
    }
  }
}

/** No engine answered. */
class EnginesSilent extends Error {
  override name = 'EnginesSilent'
  readonly unresponsive: OnlineAnswer['unresponsive']

  constructor(unresponsive: OnlineAnswer['unresponsive']) {
    super('no engine answers')
    this.unresponsive = unresponsive
  }
}

/** The engines that a fault means. */
const unresponsiveOf = (fault: unknown, { engines }: SearxngQuery): OnlineAnswer['unresponsive'] =>
  fault instanceof EnginesSilent
    ? fault.unresponsive
    : engines.map((engine) => ({ engine, reason: 'SearXNG does not answer' }))

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
