import { UpstreamError } from '../../core/upstream-error.js'
import { type CallOptions, type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import { inBatches } from '../transport/paging.js'
import {
  arrayOf,
  type JsonObject,
  type Parser,
  parseDecimal,
  parseInteger,
  parseString,
} from '../transport/parse-json.js'
import type { PathLimit } from '../transport/rate-limit.js'
import {
  type ClobBook,
  type ClobPricePoint,
  type ClobPrices,
  type ClobRebate,
  parseBook,
  parseByToken,
  parseClobAmount,
  parseHistories,
  parsePrices,
  parseRebates,
  parseRewardPage,
} from './parse.js'

const windowMs = 10_000

/** What the CLOB publishes, per address. */
const CLOB_LIMITS: readonly PathLimit[] = [
  { paths: /^/, calls: 9_000, windowMs },
  { paths: /^\/book$/, calls: 1_500, windowMs },
  { paths: /^\/price$/, calls: 1_500, windowMs },
  { paths: /^\/midpoint$/, calls: 1_500, windowMs },
  { paths: /^\/books$/, calls: 500, windowMs },
  { paths: /^\/prices$/, calls: 500, windowMs },
  { paths: /^\/midpoints$/, calls: 500, windowMs },
  { paths: /prices-history$/, calls: 1_000, windowMs },
  { paths: /^\/tick-size/, calls: 200, windowMs },
]

/** How many tokens one call may ask for. */
const TOKENS_MAX = 500
const HISTORIES_MAX = 20

/** `1m` is a month. */
export type ClobInterval = 'max' | 'all' | '1m' | '1w' | '1d' | '6h' | '1h'

/** The time that a history covers. */
export type ClobHistorySpan = ({ interval: ClobInterval } | { startSec: number; endSec: number }) & {
  fidelityMinutes?: number | undefined
}

/** `sponsored`: with what sponsors add to the rates. */
export type ClobRewardQuery = { sponsored: boolean; nextCursor?: string | undefined }

// A span that is refused although it is this short is not refused for its length.
const SPAN_SEC_MIN = 24 * 60 * 60

/** The public part of the central order book. */
export class ClobClient {
  readonly #http: HttpUpstream

  constructor(options: ConnectorOptions) {
    this.#http = new HttpUpstream({ ...options, name: 'clob', limits: CLOB_LIMITS })
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  /** Tokens without a book are absent, here and in the maps below: their market is not open yet or no more. */
  async getBooks(tokenIds: Iterable<string>, call: CallOptions = {}): Promise<Map<string, ClobBook>> {
    const parse = arrayOf(parseBook)
    const answers = await inBatches(new Set(tokenIds), TOKENS_MAX, (batch) =>
      this.#http.post('/books', toTokens(batch), { ...call, parse }),
    )
    return new Map(answers.flat().map((book) => [book.tokenId, book]))
  }

  /** Two entries a token, one for each side: half as many tokens fit into a call. */
  async getPrices(tokenIds: Iterable<string>, call: CallOptions = {}): Promise<Map<string, ClobPrices>> {
    const parse = parseByToken(parsePrices)
    const answers = await inBatches(new Set(tokenIds), TOKENS_MAX / 2, (batch) => {
      const sides = batch.flatMap((token_id) => [
        { token_id, side: 'BUY' },
        { token_id, side: 'SELL' },
      ])
      return this.#http.post('/prices', sides, { ...call, parse })
    })
    return joinMaps(answers)
  }

  getMidpoints(tokenIds: Iterable<string>, call?: CallOptions): Promise<Map<string, string>> {
    return this.#byToken('/midpoints', tokenIds, parseByToken(parseClobAmount), call)
  }

  getSpreads(tokenIds: Iterable<string>, call?: CallOptions): Promise<Map<string, string>> {
    return this.#byToken('/spreads', tokenIds, parseByToken(parseSpread), call)
  }

  /** Oldest first; tokens without a history are absent. A span that is too wide for one call is read in halves. */
  async getBatchPriceHistory(
    tokenIds: Iterable<string>,
    span: ClobHistorySpan,
    call: CallOptions = {},
  ): Promise<Map<string, ClobPricePoint[]>> {
    const options = { ...call, parse: parseHistories }
    const answers = await inBatches(new Set(tokenIds), HISTORIES_MAX, (markets) =>
      inHalves(span, (part) => {
        const { startTs, endTs, interval, fidelity } = toHistoryQuery(part)
        const body = { markets, start_ts: startTs, end_ts: endTs, interval, fidelity }
        return this.#http.post('/batch-prices-history', body, options)
      }),
    )
    const histories = new Map<string, ClobPricePoint[]>()
    for (const [tokenId, points] of answers.flat(2).flatMap((part) => [...part])) {
      histories.set(tokenId, (histories.get(tokenId) ?? []).concat(points))
    }
    return histories
  }

  /** A page of the markets that pay rewards now, as the CLOB sent it; the first without a cursor. */
  getRewardMarkets(page: ClobRewardQuery, call: CallOptions = {}): Promise<JsonObject> {
    const options = { ...call, parse: parseRewardPage }
    return this.#http.get('/rewards/markets/current', toRewardQuery(page), options)
  }

  /** What one market pays. `undefined`: there is no such market. */
  getRewardMarket(
    conditionId: string,
    page: ClobRewardQuery,
    call: CallOptions = {},
  ): Promise<JsonObject | undefined> {
    const options = { ...call, parse: parseRewardPage }
    return this.#http.find(`/rewards/markets/${conditionId}`, toRewardQuery(page), options)
  }

  /**
   * What a maker got back of the fees of a day, written `2026-11-12`, one entry a market. Makers are
   * the keys that sign orders: the address of a wallet that is a contract is refused.
   */
  getRebates(date: string, makerAddress: string, call: CallOptions = {}): Promise<ClobRebate[]> {
    const query = { date, maker_address: makerAddress }
    return this.#http.get('/rebates/current', query, { ...call, parse: parseRebates })
  }

  /** Unix seconds. */
  getServerTime(signal?: AbortSignal): Promise<number> {
    return this.#http.get('/time', {}, { parse: parseInteger, signal })
  }

  async #byToken<T>(
    path: string,
    tokenIds: Iterable<string>,
    parse: Parser<Map<string, T>>,
    call: CallOptions = {},
  ): Promise<Map<string, T>> {
    const answers = await inBatches(new Set(tokenIds), TOKENS_MAX, (batch) =>
      this.#http.post(path, toTokens(batch), { ...call, parse }),
    )
    return joinMaps(answers)
  }
}

/** Below zero for a moment, when both sides of a book change. */
const parseSpread: Parser<string> = (value, path) => parseDecimal(parseString(value, path), path)

const toRewardQuery = ({ sponsored, nextCursor }: ClobRewardQuery) => ({
  sponsored,
  next_cursor: nextCursor,
})

const toTokens = (tokenIds: readonly string[]) => tokenIds.map((token_id) => ({ token_id }))

const joinMaps = <T>(maps: readonly Map<string, T>[]): Map<string, T> =>
  new Map(maps.flatMap((map) => [...map]))

function toHistoryQuery(span: ClobHistorySpan) {
  const fidelity = span.fidelityMinutes
  return 'interval' in span
    ? { interval: span.interval, startTs: undefined, endTs: undefined, fidelity }
    : { interval: undefined, startTs: span.startSec, endTs: span.endSec, fidelity }
}

/** What a read answers for a span; for the parts of one that is refused as too wide, the oldest first. */
async function inHalves<T>(span: ClobHistorySpan, read: (part: ClobHistorySpan) => Promise<T>): Promise<T[]> {
  try {
    return [await read(span)]
  } catch (error) {
    const halves = error instanceof UpstreamError && error.status === 400 ? halve(span) : undefined
    if (halves === undefined) throw error
    const [older, newer] = halves
    const head = await inHalves(older, read)
    return head.concat(await inHalves(newer, read))
  }
}

function halve(span: ClobHistorySpan): [ClobHistorySpan, ClobHistorySpan] | undefined {
  if ('interval' in span || span.endSec - span.startSec <= SPAN_SEC_MIN) return undefined
  const middleSec = Math.floor((span.startSec + span.endSec) / 2)
  return [
    { ...span, endSec: middleSec },
    { ...span, startSec: middleSec + 1 },
  ]
}
