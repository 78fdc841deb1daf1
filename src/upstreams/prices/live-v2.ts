import { UpstreamSocket } from '../transport/socket.js'
import {
  LIVE_V2_CHANNELS,
  type LiveV2Message,
  parseLiveV2Frame,
  TWAP_WINDOW_SECONDS,
} from './live-v2-parse.js'
import {
  PRICE_TIMINGS,
  type PriceGap,
  type PriceListener,
  type PriceSource,
  type PriceSourceHealth,
  type PriceSourceOptions,
  type StoredStreams,
} from './source.js'
import { healthOf, TickDeduplicator, toPriceGap } from './tick-deduplicator.js'

const NAME = 'live_v2'

const STEP_MS_MAX = 5_000

/** A refused key stays refused until the operator changes it. */
const REFUSED_WAIT_MS = 300_000
const POLICY_WAIT_MS = 60_000
const DRAINING_WAIT_MS_MAX = 10_000

/** The channel of spot prices has no others. */
const SPOT_COINS = ['btc', 'eth', 'sol', 'doge', 'xrp', 'bnb']

export type LiveV2Credentials = { apiKey: string; secret: string; passphrase: string }

type Data = Extract<LiveV2Message, { kind: 'data' }>

/**
 * The prices of the successor of the real-time data socket. Each connection authenticates first,
 * and subscribes when that is accepted. Frames of a channel are numbered: one that is missing is a
 * gap, one that comes again is left out.
 */
export class LiveV2Source implements PriceSource {
  readonly name = NAME
  readonly #options: PriceSourceOptions & { credentials: LiveV2Credentials }
  /** The last number of each channel on this connection. */
  readonly #seqs = new Map<string, number>()
  #deduplicator: TickDeduplicator | undefined
  #socket: UpstreamSocket<LiveV2Message> | undefined
  #onGap: (gap: PriceGap) => void = () => undefined

  constructor(options: PriceSourceOptions & { credentials: LiveV2Credentials }) {
    this.#options = options
  }

  start(signal: AbortSignal, { onTick, onGap }: PriceListener, stored?: StoredStreams): void {
    const { coins, clock, tuning } = this.#options
    this.#onGap = onGap
    const deduplicator = new TickDeduplicator({
      coins,
      stepMsMax: STEP_MS_MAX,
      stored,
      onTick,
      onHole: ({ coin, kind, afterMs, beforeMs }) =>
        this.#report({ coin, kind, fromMs: afterMs, toMs: beforeMs }),
    })
    const socket = new UpstreamSocket<LiveV2Message>({
      ...this.#options,
      upstream: NAME,
      heartbeat: { everyMs: 10_000, text: JSON.stringify({ op: 'ping', rid: 'ping' }) },
      deadAfterMs: 35_000,
      silentAfterMs: 15_000,
      parse: (text) => parseLiveV2Frame(text, clock.now()),
      isData: (message) =>
        message.kind === 'data' && message.ticks.some((tick) => deduplicator.isNew(tick)),
      onOpen: () => this.#authenticate(),
      onMessage: (message) => this.#onMessage(message),
      onGap: (gap) => {
        // The numbers on both sides of this gap must not report it again.
        this.#seqs.clear()
        onGap(toPriceGap(NAME, gap, deduplicator))
      },
      closeWaitMs,
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

  #authenticate(): void {
    this.#seqs.clear()
    const { credentials: auth } = this.#options
    this.#socket?.send(JSON.stringify({ op: 'auth', rid: 'auth', auth }))
  }

  #onMessage(message: LiveV2Message): void {
    switch (message.kind) {
      case 'authed':
        this.#subscribe()
        break
      case 'error':
        this.#onRefusal(message.code, message.channel)
        break
      case 'data':
        this.#onData(message)
    }
  }

  #subscribe(): void {
    const { coins } = this.#options
    const spot = coins
      .filter((coin) => SPOT_COINS.includes(coin))
      .map((coin) => ({ channel: 'price.crypto', filter: { symbol: `${coin}usd` } }))
    const twap = coins.map((coin) => ({
      channel: 'price.crypto.twap',
      filter: { symbol: `${coin}usd`, window_seconds: TWAP_WINDOW_SECONDS },
    }))
    const subscriptions = [...spot, ...twap]
    this.#socket?.send(JSON.stringify({ op: 'subscribe', rid: 'prices', subscriptions }))
  }

  #onRefusal(code: string, channel: string | undefined): void {
    const { log } = this.#options
    log.warn({ upstream: NAME, code, channel }, 'subscription refused')
    if (code === 'auth_unavailable') this.#socket?.reject(code)
    else if (code.startsWith('auth_')) this.#socket?.reject(code, REFUSED_WAIT_MS)
  }

  #onData({ channel, seq, dropped, ticks }: Data): void {
    const last = this.#seqs.get(channel)
    const hasNewTicks = ticks.some((tick) => this.#deduplicator?.isNew(tick))
    // An old number with new prices is no repetition: the server has begun to count anew.
    if (last !== undefined && seq <= last && !hasNewTicks) return
    this.#seqs.set(channel, seq)
    if (dropped > 0 || (last !== undefined && seq !== last + 1)) this.#onMissed(channel)
    for (const tick of ticks) this.#deduplicator?.accept(tick)
  }

  #onMissed(channel: string): void {
    const kind = LIVE_V2_CHANNELS.get(channel)
    const toMs = this.#options.clock.now()
    const fromMs = Math.min(toMs, this.#deduplicator?.closeGap(toMs, kind) ?? toMs)
    this.#report({ kind, fromMs, toMs })
  }

  #report(gap: Omit<PriceGap, 'source' | 'reason'>): void {
    this.#options.metrics.gaps.inc({ upstream: NAME })
    this.#onGap({ source: NAME, ...gap, reason: 'missing' })
  }
}

/** 4001: not authenticated. 4003: the server is going away and wants its clients back spread out. 4008: policy. */
function closeWaitMs(code: number): number {
  if (code === 4001) return REFUSED_WAIT_MS
  if (code === 4003) return Math.random() * DRAINING_WAIT_MS_MAX
  return code === 4008 ? POLICY_WAIT_MS : 0
}
