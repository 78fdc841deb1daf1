import { UpstreamError } from '../../core/upstream-error.js'
import { BLANK_CHARACTERS } from '../../lib/blank-characters.js'
import { type CallOptions, type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import type { PathLimit } from '../transport/rate-limit.js'
import { parseSearchResults, type SearxngResults } from './parse.js'

/**
 * SearXNG itself has no limit. The engines behind it have: one that is called too often suspends the
 * instance for minutes, an hour after a CAPTCHA.
 */
const SEARXNG_LIMITS: readonly PathLimit[] = [{ paths: /^/, calls: 120, windowMs: 10_000 }]

/** Its engines get three seconds by default; a caller of ours gives up after ten. */
const TIMEOUT_MS = 6_500
const BODY_BYTES_MAX = 4 * 1024 * 1024

export type SearxngQuery = {
  /** Plain words: see `toPlainWords`. */
  q: string
  engines: readonly string[]
  language: string
  timeRange: string | undefined
  safeSearch: number
}

/** A SearXNG instance of the operator, which asks search engines. */
export class SearxngClient {
  readonly #http: HttpUpstream

  constructor(options: ConnectorOptions) {
    const { timeoutMs = TIMEOUT_MS } = options
    this.#http = new HttpUpstream({
      ...options,
      name: 'searxng',
      limits: SEARXNG_LIMITS,
      timeoutMs,
      bodyBytesMax: BODY_BYTES_MAX,
      // A search that is repeated at once asks all engines twice.
      triesMax: 1,
    })
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  /** Engines that did not answer are named in the results; they fail nothing. */
  search(query: SearxngQuery, call: CallOptions = {}): Promise<SearxngResults> {
    const { q, engines, language, timeRange, safeSearch } = query
    const fields = {
      format: 'json',
      q,
      engines: engines.join(','),
      language,
      time_range: timeRange,
      safesearch: safeSearch,
      pageno: 1,
    }
    const found = this.#http.get('/search', fields, { parse: parseSearchResults, ...call })
    return found.catch((error) => {
      throw isFormatOff(error) ? formatOff(error) : error
    })
  }
}

/** What a new instance answers: its settings allow HTML alone. */
const isFormatOff = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError && error.status === 403

const formatOff = (cause: UpstreamError) =>
  new UpstreamError('answered 403: add json to search.formats in its settings.yml', {
    upstream: cause.upstream,
    retryable: false,
    status: 403,
    cause,
  })

const COMMAND_START = new RegExp(`^[!:<?${BLANK_CHARACTERS}]+`)

/**
 * The words without what SearXNG takes for commands: bangs, which choose other engines or lead to
 * another site, languages and timeouts. Nor does a word begin with what cannot be seen, which an instance may drop
 * before it looks for commands. Empty when there is nothing else.
 */
export const toPlainWords = (text: string): string =>
  text
    .split(/[\s\u0085]+/)
    .map((word) => word.replace(COMMAND_START, ''))
    .filter((word) => word !== '')
    .join(' ')
