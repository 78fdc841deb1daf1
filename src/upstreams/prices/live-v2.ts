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
  type PriceKind,
  type PriceListener,
  type PriceSource,
  type PriceSourceHealth,
  type PriceSourceOptions,
  type StoredStreams,
} from './source.js'
import { healthOf, TickDeduplicator, toPriceGap } from './tick-deduplicator.js'

const NAME = 'live_v2'

const STEP_MS_MAX = 5_000

/** A key or a frame that is refused for good stays refused until the operator changes it. */
const REFUSED_WAIT_MS = 300_000
const DRAINING_WAIT_MS_MAX = 10_000

/** How long the server may take to answer a frame. */
const ANSWER_MS = 10_000
/** Frames that follow each other faster are refused. */
const FRAMES_APART_MS = 110

/** The channel of spot prices has no others. */
const SPOT_COINS = ['btc', 'eth', 'sol', 'doge', 'xrp', 'bnb']
/** The channel of spot prices has several. Windows settle on this one, and RTDS relays it. */
const PROVIDER = 'chainlink'

export type LiveV2Credentials = { apiKey: string; secret: string; passphrase: string }

type LiveV2Options = PriceSourceOptions & {
  credentials: LiveV2Credentials
  answerMsMax?: number | undefined
}

type Accepted = Extract<LiveV2Message, { kind: 'subscribed' }>
type Refused = Extract<LiveV2Message, { kind: 'error' }>
type Data = Extract<LiveV2Message, { kind: 'data' }>

type Subscription = { channel: string; filter: { symbol: string } }

/** The names of our frames, which the answers to them repeat. */
const AUTH = 'auth'
const SUBSCRIBE = 'prices'

/** Whether there is a channel with these prices. */
export const isOnLiveV2 = (coin: string, kind: PriceKind): boolean =>
  kind === 'twap60' || (kind === 'spot' && SPOT_COINS.includes(coin))

/**
 * The prices of the successor of the real-time data socket. Each connection authenticates first,
 * subscribes when that is accepted, and is given up when an answer is missing. There is one for each
 * subscription, in order; one that is refused does not disturb the others. Frames of a channel are
 * numbered: one that is missing is a gap, one that comes again is left out.
 */
export class LiveV2Source implements PriceSource {
  readonly name = NAME
  readonly #options: LiveV2Options
  /** The last number of each channel on this connection. */
  readonly #seqs = new Map<string, number>()
  /** The subscriptions that are not answered yet, in the order of their answers. */
  #unanswered: Subscription[] = []
  #accepted = 0
  /** What happens next on this connection unless the server answers before. */
  #timer: NodeJS.Timeout | undefined
  #deduplicator: TickDeduplicator | undefined
  #socket: UpstreamSocket<LiveV2Message> | undefined
  #onGap: (gap: PriceGap) => void = () => undefined

  constructor(options: LiveV2Options) {
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
      heartbeat: { everyMs: 30_000, text: JSON.stringify({ op: 'ping' }) },
      deadAfterMs: 90_000,
      silentAfterMs: 15_000,
      parse: (text) => parseLiveV2Frame(text, clock.now()),
      isData: (message) => message.kind === 'data' && message.ticks.some((tick) => deduplicator.isNew(tick)),
      onOpen: () => this.#authenticate(),
      onEnd: () => clearTimeout(this.#timer),
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
    this.#socket?.send(JSON.stringify({ op: 'auth', rid: AUTH, auth }))
    this.#awaitAnswer()
  }

  #onMessage(message: LiveV2Message): void {
    switch (message.kind) {
      case 'authed':
        this.#next(FRAMES_APART_MS, () => this.#subscribe())
        break
      case 'subscribed':
        this.#onAccepted(message)
        break
      case 'error':
        this.#onRefusal(message)
        break
      case 'data':
        this.#onData(message)
    }
  }

  #subscribe(): void {
    const { coins } = this.#options
    const spot = coins
      .filter((coin) => isOnLiveV2(coin, 'spot'))
      .map((coin) => ({
        channel: 'price.crypto',
        filter: { symbol: `${coin}usd`, provider: PROVIDER },
      }))
    const twap = coins.map((coin) => ({
      channel: 'price.crypto.twap',
      filter: { symbol: `${coin}usd`, window_seconds: TWAP_WINDOW_SECONDS },
    }))
    const subscriptions = [...spot, ...twap]
    this.#unanswered = subscriptions
    this.#accepted = 0
    this.#socket?.send(JSON.stringify({ op: 'subscribe', rid: SUBSCRIBE, subscriptions }))
    this.#awaitAnswer()
  }

  #onAccepted({ channel, provider = PROVIDER }: Accepted): void {
    const symbol = this.#unanswered[0]?.filter.symbol
    this.#accepted += 1
    if (provider !== PROVIDER) {
      const shown = { upstream: NAME, channel, symbol, provider }
      this.#options.log.warn(shown, 'prices of another provider are served')
    }
    this.#onAnswered()
  }

  #onRefusal({ code, channel, rid }: Refused): void {
    const isOfOne = rid === SUBSCRIBE && channel !== undefined && !code.startsWith('auth_')
    const symbol = isOfOne ? this.#unanswered[0]?.filter.symbol : undefined
    this.#options.log.warn({ upstream: NAME, code, channel, symbol }, 'subscription refused')
    if (isOfOne) this.#onAnswered()
    else if (rid === AUTH || rid === SUBSCRIBE)
      this.#socket?.reject(code, code === 'auth_unavailable' ? 0 : REFUSED_WAIT_MS)
  }

  #onAnswered(): void {
    this.#unanswered.shift()
    if (this.#unanswered.length > 0) return
    clearTimeout(this.#timer)
    if (this.#accepted === 0) this.#socket?.reject('every subscription was refused', REFUSED_WAIT_MS)
  }

  #awaitAnswer(): void {
    const { answerMsMax = ANSWER_MS } = this.#options
    this.#next(answerMsMax, () => this.#socket?.reject('a frame was not answered'))
  }

  #next(afterMs: number, action: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(action, afterMs)
  }

  #onData({ channel, seq, dropped, ticks }: Data): void {
    const last = this.#seqs.get(channel)
    const hasNewTicks = ticks.some((tick) => this.#deduplicator?.isNew(tick))
    // An old number with new prices is no repetition: the server has started its numbering again.
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
  if (code === 4003) return Math.random() * DRAINING_WAIT_MS_MAX
  return code === 4001 || code === 4008 ? REFUSED_WAIT_MS : 0
}
