import type { Peer } from '../server/handlers.js'
import type { Universe } from '../universe/universe.js'
import {
  LIVE_CHANNELS,
  type LiveChannel,
  type Provider,
  snapshotPayload,
  TWAP_SECONDS,
} from './live-v2-channels.js'
import { type Entry, type LiveV2Request, parseLiveV2Request } from './live-v2-request.js'

export type LiveV2Credentials = { apiKey: string; secret: string; passphrase: string }

const CREDENTIAL_FIELDS = ['apiKey', 'secret', 'passphrase'] as const
const SUBSCRIPTIONS_MAX = 64
const SUBSCRIBE_FRAMES_PER_SECOND_MAX = 20
const FRAME_BYTES_MAX = 64 * 1024
const AUTH_ATTEMPTS_MAX = 8
/** A client with more than this unread misses data; with far more it is closed. */
const LAGGING_BYTES_MAX = 1024 * 1024
const SLOW_BYTES_MAX = 8 * 1024 * 1024

const CLOSE_SLOW = 4002
const CLOSE_POLICY = 4008

/** One connection: who it is, what it follows, and how far it is in each channel. */
export class LiveV2Session {
  readonly #universe: Universe
  readonly #peer: Peer
  readonly #credentials: LiveV2Credentials | undefined
  /** Whose prices it follows, by channel and symbol. */
  readonly #followed = new Map<string, Provider>()
  readonly #seqs = new Map<string, number>()
  #isAuthed = false
  #authAttempts = 0
  #subscribeTimesMs: number[] = []
  #dropped = 0

  constructor(universe: Universe, peer: Peer, credentials: LiveV2Credentials | undefined) {
    this.#universe = universe
    this.#peer = peer
    this.#credentials = credentials
  }

  /** `undefined`: it does not follow these prices. */
  providerOf(channel: string, symbol: string): Provider | undefined {
    return this.#followed.get(`${channel} ${symbol}`)
  }

  onText(text: string): void {
    if (Buffer.byteLength(text) > FRAME_BYTES_MAX) {
      this.#peer.close(CLOSE_POLICY, 'frame is too large')
      return
    }
    const { rid, body } = parseLiveV2Request(text)
    switch (body.op) {
      case 'auth':
        this.#authenticate(body.auth, rid)
        break
      case 'ping':
        this.#peer.send({ op: 'pong', rid })
        break
      case 'unknown':
        this.#peer.send({ op: 'error', code: 'bad_op', rid })
        break
      case 'subscribe':
      case 'unsubscribe':
        this.#change(body.op, body.entries, rid)
    }
  }

  /** Sends data, unless the client lags behind. */
  push(channel: string, atMs: number, payload: object, mark: { snapshot?: true } = {}): void {
    const unread = this.#peer.bufferedBytes()
    if (unread > SLOW_BYTES_MAX) this.#peer.close(CLOSE_SLOW, 'slow consumer')
    else if (unread > LAGGING_BYTES_MAX) this.#dropped += 1
    else this.#peer.send(this.#envelope(channel, atMs, payload, mark))
  }

  #envelope(channel: string, atMs: number, payload: object, mark: { snapshot?: true }): object {
    const seq = (this.#seqs.get(channel) ?? 0) + 1
    this.#seqs.set(channel, seq)
    const dropped = this.#dropped === 0 ? {} : { dropped: this.#dropped }
    this.#dropped = 0
    return { v: 1, channel, seq, ts: atMs, ...mark, ...dropped, payload }
  }

  #authenticate(auth: { readonly [field: string]: unknown }, rid: string | undefined): void {
    this.#authAttempts += 1
    if (this.#authAttempts > AUTH_ATTEMPTS_MAX) {
      this.#breach('auth_attempts', rid)
      return
    }
    this.#isAuthed = CREDENTIAL_FIELDS.every((field) =>
      this.#credentials === undefined
        ? typeof auth[field] === 'string' && auth[field] !== ''
        : auth[field] === this.#credentials[field],
    )
    const answer = this.#isAuthed ? { op: 'authed' } : { op: 'error', code: 'auth_invalid' }
    this.#peer.send({ ...answer, rid })
  }

  #change(op: 'subscribe' | 'unsubscribe', entries: Entry[], rid: LiveV2Request['rid']): void {
    const nowMs = this.#universe.nowMs
    this.#subscribeTimesMs = this.#subscribeTimesMs.filter((timeMs) => timeMs > nowMs - 1000)
    this.#subscribeTimesMs.push(nowMs)
    if (this.#subscribeTimesMs.length > SUBSCRIBE_FRAMES_PER_SECOND_MAX) {
      this.#breach('rate_limited', rid)
      return
    }
    for (const entry of entries) {
      const { channel } = entry
      const code = op === 'subscribe' ? this.#subscribe(entry, rid) : this.#unsubscribe(entry, rid)
      if (code === 'sub_limit') {
        this.#breach(code, rid, channel)
        return
      }
      if (code !== undefined) this.#peer.send({ op: 'error', code, channel, rid })
    }
  }

  /** What goes against a limit ends the connection. */
  #breach(code: string, rid: LiveV2Request['rid'], channel?: string): void {
    this.#peer.send({ op: 'error', code, channel, rid })
    this.#peer.close(CLOSE_POLICY, code)
  }

  /** Returns the code of what is wrong. */
  #subscribe({ channel, filter }: Entry, rid: LiveV2Request['rid']): string | undefined {
    const found = LIVE_CHANNELS.find(({ name }) => name === channel)
    if (found === undefined) return 'bad_channel'
    if (!this.#isAuthed) return 'auth_required'
    const symbol = readSymbol(found, filter)
    const provider = readProvider(found, filter)
    if (symbol === undefined || provider === undefined) return 'bad_filter'
    const key = `${channel} ${symbol}`
    const isNew = !this.#followed.has(key)
    if (isNew && this.#followed.size >= SUBSCRIPTIONS_MAX) return 'sub_limit'

    this.#followed.set(key, provider)
    this.#peer.send({ op: 'subscribed', channel, provider, rid })
    if (isNew) {
      const payload = { ...snapshotPayload(this.#universe, found, symbol), source: provider }
      this.push(channel, this.#universe.nowMs, payload, { snapshot: true })
    }
    return undefined
  }

  #unsubscribe({ channel, filter }: Entry, rid: LiveV2Request['rid']): string | undefined {
    const found = LIVE_CHANNELS.find(({ name }) => name === channel)
    if (found === undefined) return 'bad_channel'
    const symbol = readSymbol(found, filter)
    if (symbol === undefined) return 'bad_filter'
    this.#followed.delete(`${channel} ${symbol}`)
    this.#peer.send({ op: 'unsubscribed', channel, rid })
    return undefined
  }
}

/** One that does not serve the channel leaves the choice to the host. `undefined`: not a provider. */
function readProvider({ providers }: LiveChannel, { provider }: Entry['filter']) {
  if (provider !== undefined && provider !== 'chainlink' && provider !== 'pyth') return undefined
  return providers.find((each) => each === provider) ?? providers[0]
}

/** `undefined`: the channel has no such data. */
function readSymbol(channel: LiveChannel, filter: Entry['filter']): string | undefined {
  const { symbol, window_seconds: seconds } = filter
  if (typeof symbol !== 'string' || symbol === '') return undefined
  if (channel.isTwap && seconds !== TWAP_SECONDS) return undefined
  return channel.coins.size === 0 || channel.coins.has(symbol) ? symbol : undefined
}
