import { EventEmitter, once } from 'node:events'
import type { Config } from '../config/config.js'
import { messageOf } from '../core/errors.js'
import { withTimeout } from '../lib/timeout.js'
import type { Timing } from '../lib/timing.js'
import type { PriceSource } from './prices/source.js'
import type { Upstreams } from './upstreams.js'
import { withUpstreams } from './with-upstreams.js'

const ANSWER_MS_MAX = 15_000
/** How long after its opening the score socket is waited for, because no game may be live. */
const FIRST_SCORE_MS = 1_000

/**
 * How one upstream answered. `answer` is a value that only a working upstream can give. One that is
 * `off` was not called: it needs credentials and has none, or the operator has switched it off.
 */
export type UpstreamFinding = {
  upstream: string
  state: 'ok' | 'failed' | 'off'
  answer: string
  tookMs: number
}

const SAMPLE_SEARCH = {
  q: 'news',
  engines: ['bing', 'duckduckgo'],
  language: 'en-US',
  timeRange: undefined,
  safeSearch: 0,
}

class NotConfigured extends Error {}

type Question = { upstream: string; ask: (signal: AbortSignal) => Promise<string> }

/** Asks every configured upstream one question, all at once. `timing`: of tries; absent: that of the system. */
export async function checkUpstreams(config: Config, timing?: Timing): Promise<UpstreamFinding[]> {
  const stopping = new AbortController()
  // Each question listens for the fault of its own upstream.
  const faults = new EventEmitter().setMaxListeners(0)
  const ask = (upstreams: Upstreams) => {
    const questions = [...httpQuestions(upstreams), ...socketQuestions(upstreams, config)]
    return Promise.all(questions.map((question) => put(question, faults, stopping.signal)))
  }
  try {
    return await withUpstreams(config, ask, {
      onFault: ({ upstream, detail }) => faults.emit(upstream, detail),
      timing,
    })
  } finally {
    stopping.abort()
  }
}

async function put(
  { upstream, ask }: Question,
  faults: EventEmitter,
  signal: AbortSignal,
): Promise<UpstreamFinding> {
  const startedMs = performance.now()
  const finding = (state: UpstreamFinding['state'], answer: string): UpstreamFinding => ({
    upstream,
    state,
    answer,
    tookMs: Math.round(performance.now() - startedMs),
  })
  try {
    const answer = ask(signal)
    // A socket would be opened again and again, and its fault never be seen.
    const failed = once(faults, upstream, { signal }).then(([detail]) => {
      throw new Error(detail)
    })
    const late = `no answer within ${ANSWER_MS_MAX / 1000} s`
    return finding('ok', await withTimeout(Promise.race([answer, failed]), ANSWER_MS_MAX, late))
  } catch (error) {
    return finding(error instanceof NotConfigured ? 'off' : 'failed', messageOf(error))
  }
}

function httpQuestions(upstreams: Upstreams): Question[] {
  const { polygon, gamma, clob, dataApi, sitePrice, searxng, xApi } = upstreams
  return [
    {
      upstream: 'polygon',
      ask: async (signal) => {
        if (polygon === undefined) throw new NotConfigured('AUSPEX_POLYGON_URL is not set')
        await polygon.checkChain(signal)
        return `block ${await polygon.getBlockNumber(signal)}`
      },
    },
    {
      upstream: 'gamma',
      ask: async (signal) => {
        const [event] = await gamma.listEvents({ limit: 1, closed: false }, signal)
        return event?.slug ?? 'no open event'
      },
    },
    {
      upstream: 'clob',
      ask: async (signal) => new Date((await clob.getServerTime(signal)) * 1000).toISOString(),
    },
    {
      upstream: 'data_api',
      ask: async (signal) => {
        const { length } = await dataApi.listBuilders(signal)
        return `${length} builders`
      },
    },
    {
      upstream: 'site',
      ask: async (signal) => {
        const query = { symbol: 'BTC', interval: '5m', limit: 15 } as const
        const candles = await sitePrice.getCandles(query, signal)
        return `BTC ${candles.at(-1)?.close}`
      },
    },
    {
      upstream: 'x_api',
      ask: async (signal) => {
        if (xApi === undefined) throw new NotConfigured('AUSPEX_X_BEARER_TOKEN is not set')
        // The cheapest question: X bills what it sends.
        return `user ${await xApi.findUserId('X', { signal })}`
      },
    },
    {
      upstream: 'searxng',
      ask: async (signal) => {
        if (searxng === undefined) throw new NotConfigured('AUSPEX_SEARXNG_URL is not set')
        const { results, unresponsive } = await searxng.search(SAMPLE_SEARCH, { signal })
        const silent = unresponsive.map(({ engine, reason }) => `, ${engine}: ${reason}`)
        return `${results.length} results${silent.join('')}`
      },
    },
  ]
}

function socketQuestions(upstreams: Upstreams, config: Config): Question[] {
  const sources = new Map(upstreams.priceSources().map((source) => [source.name, source]))
  const prices = (name: PriceSource['name'], missing: string): Question => ({
    upstream: name,
    ask: (signal) => firstPrice(sources.get(name), missing, signal),
  })
  return [
    {
      upstream: 'polygon_ws',
      ask: (signal) => firstHead(upstreams, config, signal),
    },
    { upstream: 'clob_ws', ask: (signal) => firstBook(upstreams, signal) },
    prices('rtds', 'AUSPEX_RTDS_WS_URL is off'),
    prices('live_v2', 'AUSPEX_CLOB_API_KEY, _SECRET and _PASSPHRASE are not set'),
    prices('chainlink', 'AUSPEX_CHAINLINK_API_KEY and _SECRET are not set'),
    { upstream: 'sports_ws', ask: (signal) => firstScore(upstreams, signal) },
  ]
}

function firstHead(upstreams: Upstreams, config: Config, signal: AbortSignal): Promise<string> {
  if (config.polygonWsUrl === undefined) throw new NotConfigured('AUSPEX_POLYGON_WS_URL is not set')
  return new Promise((resolve) => {
    const onHead = ({ number }: { number: number }) => resolve(`block ${number}`)
    upstreams.followPolygon({ onHead, onGap: () => undefined })?.start(signal)
  })
}

async function firstBook(upstreams: Upstreams, signal: AbortSignal): Promise<string> {
  const markets = await upstreams.gamma.listMarkets({ limit: 20, closed: false }, signal).catch((error) => {
    throw new Error(`no token is known to ask for: ${messageOf(error)}`)
  })
  const tokenIds = markets.flatMap(({ tokens }) => tokens.map(({ tokenId }) => tokenId))
  return await new Promise((resolve) => {
    const socket = upstreams.followBooks({
      onEvents: ([event]) => {
        if (event !== undefined) resolve(`${event.type} of ${tokenIds.length} tokens`)
      },
    })
    socket.subscribe(tokenIds)
    socket.start(signal)
  })
}

function firstPrice(source: PriceSource | undefined, missing: string, signal: AbortSignal) {
  if (source === undefined) throw new NotConfigured(missing)
  return new Promise<string>((resolve) => {
    const onTick = ({ coin, price }: { coin: string; price: string }) => resolve(`${coin} ${price}`)
    source.start(signal, { onTick, onGap: () => undefined })
  })
}

/** A score of a game that is being played, which comes at once if there is one. */
function firstScore(upstreams: Upstreams, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const socket = upstreams.followScores({
      onScore: ({ slug, gameId, score }) => resolve(`${slug ?? gameId} ${score ?? ''}`.trim()),
      expectsScores: () => false,
      onOpen: () => setTimeout(() => resolve('connected; no game is live'), FIRST_SCORE_MS),
    })
    if (socket === undefined) throw new NotConfigured('AUSPEX_SPORTS_WS_URL is off')
    socket.start(signal)
  })
}
