import { Audience } from '../server/audience.js'
import type { HostParts, Peer } from '../server/handlers.js'
import type { Game, GameState } from '../universe/games/game.js'
import { gameStateAt } from '../universe/games/game-state.js'
import type { Universe } from '../universe/universe.js'
import { presentScore } from './score-message.js'

/** The clock of a game is sent every five seconds, and with everything else that changes. */
const CLOCK_SEC = 5

export type SportsHostOptions = {
  /** Text pings go out this often. In real time, however fast the universe passes. */
  pingMs?: number | undefined
  /** A client that does not answer a ping within this time is closed. */
  pongMsMax?: number | undefined
}

/** The score socket: all games that are being played at first, then each change of any game. */
export function createSportsHost(universe: Universe, options: SportsHostOptions = {}): HostParts {
  const clients = new Audience<Peer>(() => {
    const sent = new Map(universe.games().map((game) => [game.id, stateKey(stateOf(game))]))
    return [universe.on('second', (atMs) => sendChanges(atMs, sent))]
  })
  const stateOf = (game: Game) => gameStateAt(game, universe.nowMs)
  const sendChanges = (atMs: number, sent: Map<number, string>) => {
    for (const game of universe.games()) {
      const state = gameStateAt(game, atMs)
      const key = stateKey(state)
      const isClockDue = state.elapsed !== '' && (atMs / 1000 + game.id) % CLOCK_SEC === 0
      if (sent.get(game.id) === key && !isClockDue) continue
      sent.set(game.id, key)
      const text = JSON.stringify(presentScore(game, state, atMs))
      for (const peer of clients) peer.send(text)
    }
  }
  return {
    refuse: ({ path }) => (path === '/ws' ? undefined : { status: 404, body: { error: 'not found' } }),
    connect(peer) {
      clients.add(peer, peer)
      for (const game of universe.games()) {
        const state = stateOf(game)
        if (state.live) peer.send(presentScore(game, state, universe.nowMs))
      }
      keepAlive(peer, options)
    },
  }
}

/** Everything but the clock. */
const stateKey = ({ elapsed, ...rest }: GameState): string => JSON.stringify(rest)

/** What the client says is not read, but for the answers to pings. */
function keepAlive(peer: Peer, { pingMs = 5_000, pongMsMax = 10_000 }: SportsHostOptions): void {
  let unansweredAt: number | undefined
  const timer = setInterval(() => {
    const nowMs = performance.now()
    if (unansweredAt !== undefined && nowMs - unansweredAt >= pongMsMax) {
      clearInterval(timer)
      peer.close(1008, 'no pong')
      return
    }
    unansweredAt ??= nowMs
    peer.send('ping')
  }, pingMs)
  peer.onText((text) => {
    if (text.trim().toLowerCase() === 'pong') unansweredAt = undefined
  })
  peer.onClose(() => clearInterval(timer))
}
