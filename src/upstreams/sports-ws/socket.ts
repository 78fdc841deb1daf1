import type { Clock } from '../../core/clock.js'
import { UpstreamSocket } from '../transport/socket.js'
import type { SocketConnectorOptions, SocketStatus } from '../transport/socket-options.js'
import { parseScoreFrame, type ScoreFrame, type ScoreMessage } from './parse.js'

const NAME = 'sports_ws'

/** A message is one game, and less than a kilobyte. */
const LIMITS = { frameBytesMax: 1024 * 1024, inboxBytesMax: 8 * 1024 * 1024 }

export type ScoreListener = {
  onScore: (score: ScoreMessage) => void
  /** Whether scores must come, because a game is being played. */
  expectsScores: () => boolean
  /** A connection is open: the scores of all live games follow. */
  onOpen?: (() => void) | undefined
}

/**
 * The score socket: the state of every game that is being played, and each change of any game. There is
 * nothing to subscribe to, and a new connection begins with all games that are live, so a gap closes
 * itself.
 */
export class SportsSocket {
  readonly #socket: UpstreamSocket<ScoreFrame>
  readonly #clock: Clock
  #closedAtMs: number | undefined

  constructor(options: SocketConnectorOptions & ScoreListener) {
    const { onScore, expectsScores, onOpen, clock, tuning } = options
    this.#clock = clock
    this.#socket = new UpstreamSocket<ScoreFrame>({
      ...options,
      upstream: NAME,
      heartbeat: { everyMs: 10_000 },
      deadAfterMs: 30_000,
      // Longer than most breaks of a game. A new connection costs little, and says how all games stand.
      silentAfterMs: 180_000,
      expectsData: expectsScores,
      parse: parseScoreFrame,
      isData: ({ kind }) => kind === 'scores',
      onOpen: () => {
        this.#closedAtMs = undefined
        onOpen?.()
      },
      onEnd: () => {
        this.#closedAtMs ??= clock.now()
      },
      onMessage: (frame) => {
        // The server closes a client that does not answer within ten seconds.
        if (frame.kind === 'ping') this.#socket.send('pong')
        else for (const score of frame.scores) onScore(score)
      },
      onGap: () => undefined,
      ...tuning,
      limits: { ...LIMITS, ...tuning?.limits },
    })
  }

  start(signal: AbortSignal): void {
    this.#closedAtMs = this.#clock.now()
    this.#socket.start(signal)
  }

  /** `closedAtMs`: since when no connection is open. `undefined`: one is, or none was asked for yet. */
  get status(): SocketStatus & { closedAtMs: number | undefined } {
    return { ...this.#socket.status, closedAtMs: this.#closedAtMs }
  }
}
