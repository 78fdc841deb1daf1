import { onAbort } from '../../lib/abort.js'
import { faultFields } from '../../lib/fault-fields.js'
import { backoffMs, systemTiming, type Timing } from '../../lib/timing.js'
import { UpstreamSocket } from '../transport/socket.js'
import { Backfill } from './chainlink-backfill.js'
import { chooseFeeds } from './chainlink-feeds.js'
import { type ChainlinkFeedMap, parseReportFrame } from './chainlink-parse.js'
import { type ChainlinkAccess, ChainlinkRest, signRequest } from './chainlink-rest.js'
import {
  PRICE_TIMINGS,
  type PriceKind,
  type PriceListener,
  type PriceSource,
  type PriceSourceHealth,
  type PriceSourceOptions,
  type PriceTick,
  type StoredStreams,
} from './source.js'
import { healthOf, TickDeduplicator, type TickHole } from './tick-deduplicator.js'

const NAME = 'chainlink'

const FEEDS_BACKOFF = { baseMs: 1_000, maxMs: 60_000 }
const SECOND_MS = 1_000

export type ChainlinkOptions = PriceSourceOptions &
  ChainlinkAccess & {
    restUrl: string
    timing?: Timing | undefined
  }

/**
 * Chainlink Data Streams: signed reports of every second, with bid and ask. Seconds that the socket
 * missed are fetched from the reports of the past and delivered late; only what cannot be fetched is
 * reported as a gap.
 */
export class ChainlinkSource implements PriceSource {
  readonly name = NAME
  readonly #options: ChainlinkOptions
  readonly #timing: Timing
  #deduplicator: TickDeduplicator | undefined
  #socket: UpstreamSocket<PriceTick> | undefined
  #backfill: Backfill | undefined
  #isStarting = false

  constructor(options: ChainlinkOptions) {
    this.#options = options
    this.#timing = options.timing ?? systemTiming
  }

  start(signal: AbortSignal, listener: PriceListener, stored?: StoredStreams): void {
    if (signal.aborted) return
    this.#isStarting = true
    const { restUrl: url, ...options } = this.#options
    const rest = new ChainlinkRest({ ...options, url })
    onAbort(signal, () => void rest.close())
    this.#findFeeds(rest, signal).then(
      (feeds) => this.#follow(feeds, rest, signal, listener, stored),
      // Aborted.
      () => {
        this.#isStarting = false
      },
    )
  }

  health(): PriceSourceHealth {
    const before = this.#isStarting ? 'connecting' : 'closed'
    return healthOf(NAME, this.#deduplicator, this.#socket?.status, before)
  }

  isFetching(kind: PriceKind, sinceMs: number): boolean {
    return this.#backfill?.isPending(kind, sinceMs / SECOND_MS) ?? this.#isStarting
  }

  /** Reads the list of feeds, again and again until the host answers. */
  async #findFeeds(rest: ChainlinkRest, signal: AbortSignal): Promise<ChainlinkFeedMap> {
    const { coins, log } = this.#options
    for (let failures = 1; ; failures++) {
      try {
        const feeds = chooseFeeds(await rest.readFeeds(signal), coins)
        if (feeds.size > 0) return feeds
        log.warn({ upstream: NAME }, 'no feed of any of the coins')
      } catch (error) {
        signal.throwIfAborted()
        log.warn({ upstream: NAME, ...faultFields(error) }, 'feeds could not be listed')
      }
      await this.#timing.sleep(backoffMs(FEEDS_BACKOFF, failures), signal)
    }
  }

  #follow(
    feeds: ChainlinkFeedMap,
    rest: ChainlinkRest,
    signal: AbortSignal,
    { onTick, onGap }: PriceListener,
    stored: StoredStreams | undefined,
  ): void {
    const { coins, clock, metrics, log, tuning } = this.#options
    const backfill = new Backfill(signal, {
      readPage: (...page) => rest.readPage(...page),
      onTick: (tick) => deduplicator.accept(tick),
      onMissed: ({ feed: { coin, kind }, fromSec, toSec }) => {
        metrics.gaps.inc({ upstream: NAME })
        const bounds = { fromMs: fromSec * SECOND_MS, toMs: toSec * SECOND_MS }
        onGap({ source: NAME, coin, kind, ...bounds, reason: 'missing' })
      },
      timing: this.#timing,
      log,
    })
    const deduplicator = new TickDeduplicator({
      coins,
      stepMsMax: SECOND_MS,
      stored,
      onTick,
      onHole: (hole) => fillHole(hole, feeds, backfill),
    })
    const url = this.#socketUrl(feeds)
    this.#backfill = backfill
    this.#deduplicator = deduplicator
    this.#socket = new UpstreamSocket<PriceTick>({
      ...this.#options,
      upstream: NAME,
      url: url.href,
      headers: () => this.#sign(url),
      heartbeat: { everyMs: 10_000 },
      deadAfterMs: 30_000,
      silentAfterMs: 15_000,
      parse: (text) => parseReportFrame(text, feeds, clock.now()),
      isData: (tick) => deduplicator.isNew(tick),
      // The feeds are part of the address.
      onOpen: () => undefined,
      onMessage: (tick) => deduplicator.accept(tick),
      // The seconds themselves show what is missing.
      onGap: () => undefined,
      timings: PRICE_TIMINGS,
      ...tuning,
    })
    for (const feed of feeds.values()) {
      const { missing = [] } = stored?.(feed.coin, feed.kind) ?? {}
      for (const seconds of missing) backfill.add({ feed, ...seconds })
    }
    this.#socket.start(signal)
  }

  #socketUrl(feeds: ChainlinkFeedMap): URL {
    const base = this.#options.url.replace(/\/$/, '')
    return new URL(`${base}/api/v1/ws?feedIDs=${[...feeds.keys()].join(',')}`)
  }

  #sign({ pathname, search }: URL): Record<string, string> {
    const { credentials, clock } = this.#options
    return signRequest(credentials, { method: 'GET', target: pathname + search }, clock.now())
  }
}

function fillHole(hole: TickHole, feeds: ChainlinkFeedMap, backfill: Backfill): void {
  const { coin, kind, afterMs, beforeMs } = hole
  for (const feed of feeds.values()) {
    if (feed.coin !== coin || feed.kind !== kind) continue
    backfill.add({ feed, fromSec: afterMs / SECOND_MS + 1, toSec: beforeMs / SECOND_MS - 1 })
  }
}
