import { UpstreamError } from '../../src/core/upstream-error.js'
import type { Log } from '../../src/lib/log.js'
import { repeat } from '../../src/lib/timing.js'
import type { PolygonListener } from '../../src/upstreams/polygon/socket.js'
import { createPriceFeed } from '../../src/upstreams/prices/feed.js'
import type { PriceTick } from '../../src/upstreams/prices/source.js'
import type { Upstreams } from '../../src/upstreams/upstreams.js'

const POLL_MS = 500
const TOKENS_FOLLOWED = 80
const RETRY_MS = 1_000

/** What the readers have seen. Anything in `surprises` is a bug of ours. */
export type Seen = {
  answers: Map<string, { ok: number; failed: number }>
  /** Hash of each block, as read last. */
  blocks: Map<number, string>
  /** Seconds of which Chainlink's price of Bitcoin came. */
  btcSeconds: Set<number>
  ticks: Map<string, number>
  bookEvents: number
  pending: number
  gaps: Map<string, number>
  surprises: string[]
}

export const createSeen = (): Seen => ({
  answers: new Map(),
  blocks: new Map(),
  btcSeconds: new Set(),
  ticks: new Map(),
  bookEvents: 0,
  pending: 0,
  gaps: new Map(),
  surprises: [],
})

/** Starts everything that a service would read, and goes on until the signal aborts. */
export async function startReaders(
  upstreams: Upstreams,
  seen: Seen,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const tokenIds = await chooseTokens(upstreams, signal)
  pollAll(upstreams, tokenIds, seen, signal)
  followChain(upstreams, seen, signal)
  const books = upstreams.followBooks({
    onEvents: (events) => {
      seen.bookEvents += events.length
    },
    onGap: () => count(seen.gaps, 'clob_ws'),
  })
  books.subscribe(tokenIds)
  books.start(signal)
  const feed = createPriceFeed({
    sources: upstreams.priceSources(),
    log,
    onTick: (tick) => onTick(tick, seen),
    onGap: ({ source }) => count(seen.gaps, source),
  })
  feed.start(signal)
}

async function chooseTokens({ gamma }: Upstreams, signal: AbortSignal): Promise<string[]> {
  const markets = await gamma.listMarkets({ limit: 100, closed: false }, signal)
  const tokens = markets.flatMap(({ tokens }) => tokens.map(({ tokenId }) => tokenId))
  return tokens.slice(0, TOKENS_FOLLOWED)
}

function pollAll(upstreams: Upstreams, tokenIds: string[], seen: Seen, signal: AbortSignal): void {
  const { gamma, clob, dataApi, sitePrice } = upstreams
  const questions: Record<string, () => Promise<unknown>> = {
    gamma: () => gamma.listEvents({ limit: 20, closed: false }, signal),
    clob: () => clob.getBooks(tokenIds, { signal }),
    data_api: () => dataApi.listBuilders(signal),
    site: () => sitePrice.getCandles({ symbol: 'BTC', interval: '5m', limit: 30 }, signal),
  }
  for (const [name, ask] of Object.entries(questions)) {
    repeat(POLL_MS, signal, async () => {
      await attempt(name, ask, seen, signal)
    })
  }
}

/** A fault of the upstream is expected; anything else is ours. */
async function attempt(
  name: string,
  ask: () => Promise<unknown>,
  seen: Seen,
  signal: AbortSignal,
): Promise<boolean> {
  const row = seen.answers.get(name) ?? { ok: 0, failed: 0 }
  seen.answers.set(name, row)
  try {
    await ask()
    row.ok++
    return true
  } catch (error) {
    row.failed++
    if (!(error instanceof UpstreamError) && !signal.aborted) seen.surprises.push(`${name}: ${error}`)
    return false
  }
}

function followChain(upstreams: Upstreams, seen: Seen, signal: AbortSignal): void {
  const { polygon } = upstreams
  // Blocks are read one stretch after the other, in the order in which they were announced.
  let reading = Promise.resolve()
  const read = (fromBlock: number, toBlock: number) => {
    reading = reading.then(async () => {
      const range = () => readRange(upstreams, seen, fromBlock, toBlock, signal)
      while (!signal.aborted && !(await attempt('polygon', range, seen, signal))) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    })
  }
  const listener: PolygonListener = {
    onHead: ({ number }) => read(number, number),
    onPending: () => {
      seen.pending++
    },
    onGap: ({ fromBlock, toBlock }) => {
      count(seen.gaps, 'polygon_ws')
      read(fromBlock, toBlock)
    },
  }
  if (polygon !== undefined) upstreams.followPolygon(listener)?.start(signal)
}

/** Newest first: what lies below a block that was replaced may have been replaced too. */
async function readRange(
  upstreams: Upstreams,
  seen: Seen,
  fromBlock: number,
  toBlock: number,
  signal: AbortSignal,
): Promise<void> {
  for (let number = toBlock; ; number--) {
    const parentHash = await readBlock(upstreams, seen, number, signal)
    const below = seen.blocks.get(number - 1)
    const isReplaced = below !== undefined && below !== parentHash
    if (number <= fromBlock && !isReplaced) return
  }
}

async function readBlock(
  { polygon }: Upstreams,
  seen: Seen,
  number: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const range = { fromBlock: number, toBlock: number }
  for await (const { last } of polygon?.eachLogs(range, signal) ?? []) {
    seen.blocks.set(number, last.hash)
    return last.parentHash
  }
  return undefined
}

function onTick({ source, coin, kind, timestampMs }: PriceTick, seen: Seen): void {
  count(seen.ticks, source)
  if (source === 'chainlink' && coin === 'btc' && kind === 'spot') {
    seen.btcSeconds.add(timestampMs / 1000)
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
