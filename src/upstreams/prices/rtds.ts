import { UpstreamSocket } from '../transport/socket.js'
import { parseRtdsFrame, RTDS_TOPICS, type RtdsMessage } from './rtds-parse.js'
import {
  PRICE_TIMINGS,
  type PriceListener,
  type PriceSource,
  type PriceSourceHealth,
  type PriceSourceOptions,
  type StoredStreams,
} from './source.js'
import { healthOf, TickDeduplicator, toPriceGap } from './tick-deduplicator.js'

const NAME = 'rtds'

/** About 3 % of the seconds never come; this many in a row are an outage. */
const STEP_MS_MAX = 5_000

/** The prices of Polymarket's real-time data socket: Chainlink's, their means, and the exchange's. */
export class RtdsSource implements PriceSource {
  readonly name = NAME
  readonly #options: PriceSourceOptions
  #deduplicator: TickDeduplicator | undefined
  #socket: UpstreamSocket<RtdsMessage> | undefined

  constructor(options: PriceSourceOptions) {
    this.#options = options
  }

  start(signal: AbortSignal, { onTick, onGap }: PriceListener, stored?: StoredStreams): void {
    const { coins, clock, metrics, log, tuning } = this.#options
    const deduplicator = new TickDeduplicator({
      coins,
      stepMsMax: STEP_MS_MAX,
      stored,
      onTick,
      onHole: ({ coin, kind, afterMs, beforeMs }) => {
        metrics.gaps.inc({ upstream: NAME })
        onGap({ source: NAME, coin, kind, fromMs: afterMs, toMs: beforeMs, reason: 'missing' })
      },
    })
    const socket = new UpstreamSocket<RtdsMessage>({
      ...this.#options,
      upstream: NAME,
      // Without pings the server keeps the socket open and sends nothing more.
      heartbeat: { everyMs: 5_000, text: 'PING' },
      deadAfterMs: 20_000,
      silentAfterMs: 15_000,
      parse: (text) => parseRtdsFrame(text, clock.now()),
      isData: (message) => message.kind === 'ticks' && message.ticks.some((tick) => deduplicator.isNew(tick)),
      onOpen: () => this.#subscribe(),
      onMessage: (message) => {
        if (message.kind === 'ticks') for (const tick of message.ticks) deduplicator.accept(tick)
        // The watchdog of the socket notices if no prices come.
        else log.warn({ upstream: NAME, detail: message.message }, 'subscription refused')
      },
      onGap: (gap) => onGap(toPriceGap(NAME, gap, deduplicator)),
      timings: PRICE_TIMINGS,
      ...tuning,
    })
    this.#deduplicator = deduplicator
    this.#socket = socket
    socket.start(signal)
  }

  health(): PriceSourceHealth {
    return healthOf(NAME, this.#deduplicator, this.#socket?.status)
  }

  /**
   * Without filters: a connection has one per topic, and a second one replaces the first. A frame
   * for each topic, so that one that is retired takes no other with it.
   */
  #subscribe(): void {
    for (const topic of RTDS_TOPICS.keys()) {
      const subscriptions = [{ topic, type: 'update' }]
      this.#socket?.send(JSON.stringify({ action: 'subscribe', subscriptions }))
    }
  }
}
