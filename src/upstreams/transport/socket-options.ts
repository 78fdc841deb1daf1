import type { Clock } from '../../core/clock.js'
import type { Log } from '../../lib/log.js'
import type { UpstreamMetrics } from './metrics.js'

/** Why a socket ended, or why data are missing. */
export type SocketFault =
  /** The handshake was answered with an HTTP status. */
  | 'refused'
  /** The handshake was not answered, or no host listens at the address. */
  | 'unreachable'
  /** The peer closed it with a close code. */
  | 'closed'
  /** It broke without a close frame, or the peer broke the protocol. */
  | 'lost'
  /** Nothing came for too long, not even answers to pings. */
  | 'dead'
  /** The peer answers pings but sends no data. */
  | 'silent'
  /** What came could not be read. */
  | 'garbage'
  /** We could not keep up with reading, or the peer with what we send. */
  | 'overrun'
  /** The connector ended it: the peer does not accept what we ask. */
  | 'rejected'

/** A time of which data are missing: from the last data before the interruption to the first after it. */
export type SocketGap = { fromMs: number; toMs: number; reason: SocketFault }

export type OnSocketFault = (fault: { upstream: string; detail: string }) => void

export type SocketState = 'connecting' | 'open' | 'waiting' | 'closed'

export type SocketStatus = {
  state: SocketState
  /** When the socket that is open now was opened. */
  openedMs: number | undefined
  lastDataMs: number | undefined
}

export type SocketOptions<Message> = {
  upstream: string
  url: string
  /** Built again for each handshake, because a signature holds its time. */
  headers?: (() => Record<string, string>) | undefined
  /** What keeps the connection alive: a text frame, or a WebSocket ping when there is no text. */
  heartbeat: { everyMs: number; text?: string | undefined }
  /** Without any frame or pong for that long the peer is dead. */
  deadAfterMs: number
  /** Without data for that long the socket is opened again, although the peer answers pings. */
  silentAfterMs?: number | undefined
  /** Whether data must come at this moment. Absent: always. */
  expectsData?: (() => boolean) | undefined
  /** `undefined`: a frame without a message. Throws on a frame that must not be trusted. */
  parse: (text: string) => Message | undefined
  /** Answers to what we sent are messages, but no data. Absent: every message is data. */
  isData?: ((message: Message) => boolean) | undefined
  /** Called for each new connection: subscribe here. */
  onOpen: () => void
  /** Called when a connection has ended, also before it was open: stop its timers here. */
  onEnd?: (() => void) | undefined
  /** While a promise is pending the following messages wait. */
  onMessage: (message: Message) => void | Promise<void>
  /** Called at once when data begin to be missing, which `onGap` reports when it is over. */
  onInterrupted?: ((reason: SocketFault) => void) | undefined
  /** Called once for each interruption, in order with the messages: right before the first one after it. */
  onGap: (gap: SocketGap) => void | Promise<void>
  /** How long the close code asks to stay away, at least. */
  closeWaitMs?: ((code: number) => number) | undefined
  /** Called whenever a connection ends, before the next one is opened. */
  onFault?: OnSocketFault | undefined
  clock: Clock
  metrics: UpstreamMetrics
  log: Log
  /** The first connection waits for it. Absent: the upstream can be called at once. */
  opened?: Promise<void> | undefined
  timings?: Partial<SocketTimings> | undefined
  limits?: Partial<SocketLimits> | undefined
}

/** What a test or an operator may set differently from what the protocol's connector has chosen. */
export type SocketTuning = Partial<
  Pick<SocketOptions<unknown>, 'heartbeat' | 'deadAfterMs' | 'silentAfterMs' | 'timings' | 'limits'>
>

/** The options that are handed to a connector; it adds the others itself. */
export type SocketConnectorOptions = Pick<
  SocketOptions<unknown>,
  'url' | 'clock' | 'metrics' | 'log' | 'opened' | 'onFault'
> & { tuning?: SocketTuning | undefined }

export type SocketTimings = typeof TIMINGS
export type SocketLimits = typeof LIMITS

export const TIMINGS = {
  handshakeMs: 10_000,
  /** The longest waits before the socket is opened again; each is any part of them. */
  backoff: { baseMs: 250, maxMs: 30_000 },
  /** After a connection that lasted this long the waits start at the shortest again. */
  stableMs: 30_000,
}

export const LIMITS = {
  frameBytesMax: 8 * 1024 * 1024,
  /** Frames that wait for a busy reader. */
  inboxBytesMax: 32 * 1024 * 1024,
  /** What the peer has not taken from us yet. */
  outboxBytesMax: 8 * 1024 * 1024,
  /** Unreadable frames in a row after which the connection is not worth keeping. */
  garbageMax: 20,
}
