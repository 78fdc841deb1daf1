import { Bus } from '../bus/bus.js'
import type { Role } from '../config/roles.js'
import { presentAge } from '../core/clock.js'
import type { Domain } from '../http/domain.js'
import type { HealthCheck } from '../jobs/job.js'
import { untilAborted } from '../lib/abort.js'
import type { Platform } from '../platform.js'
import type { GammaClient } from '../upstreams/gamma/client.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { LiveScores } from './live-scores.js'

const SECOND_MS = 1_000
const NAMES_MS = 5_000
/** A game has a main event and some companions. */
const EVENTS_PER_GAME_MAX = 20
/** The socket is opened again within seconds; without it for longer scores are missing. */
const CLOSED_MS_MAX = 60_000

/** Some 50,000 messages; in five minutes a hundred live games send fewer. */
const SCORE_BYTES_MAX = 64 * 1024 * 1024

/** Answers about games have the score, and sockets send it. */
const SHOWING: readonly Role[] = ['api', 'stream']

type ScoresDomain = Domain & {
  /** Scores of games: every process has a score socket of its own. */
  scoreBus: Bus
  /** The last score of each game. */
  scores: LiveScores
}

export function createScores(platform: Platform, { upstreams }: { upstreams: Upstreams }): ScoresDomain {
  const { clock, log, metrics: registry } = platform
  const scoreBus = new Bus({ clock, log, bytesMax: SCORE_BYTES_MAX })
  const scores = new LiveScores({ scoreBus, clock, registry })
  const socket = upstreams.followScores({
    onScore: (score) => scores.accept(score),
    expectsScores: () => scores.hasLiveGames,
  })
  if (socket === undefined) return { scoreBus, scores }
  return {
    scoreBus,
    scores,
    jobs: [
      {
        name: 'score collection',
        everyMs: SECOND_MS,
        roles: SHOWING,
        runsIn: 'every process',
        needsDatabase: false,
        run: async (signal) => {
          socket.start(signal)
          await untilAborted(new Promise(() => undefined), signal)
        },
      },
      {
        name: 'game names',
        everyMs: NAMES_MS,
        roles: SHOWING,
        runsIn: 'every process',
        needsDatabase: false,
        run: (signal) => scores.nameGames((id) => findGameSlug(upstreams.gamma, id, signal)),
      },
    ],
    status: {
      roles: SHOWING,
      fields: (nowMs) => {
        const { games, live, lastMessageMs } = scores.status
        const age_seconds = presentAge(lastMessageMs && Math.floor(lastMessageMs / 1000), nowMs)
        return { scores: { state: socket.status.state, games, live, age_seconds } }
      },
      check: (nowMs) => checkSocket(socket.status.closedAtMs, nowMs),
    },
  }
}

/** The slug of the main event: those of its companions are longer. */
export async function findGameSlug(
  gamma: Pick<GammaClient, 'listEvents'>,
  gameId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const events = await gamma.listEvents({ gameId, limit: EVENTS_PER_GAME_MAX }, signal)
  const slugs = events.flatMap(({ slug }) => slug ?? []).sort((a, b) => a.length - b.length)
  return slugs[0]
}

/** Without scores requests are served all the same. */
function checkSocket(closedAtMs: number | undefined, nowMs: number): HealthCheck {
  const name = 'scores'
  const closedMs = closedAtMs === undefined ? 0 : nowMs - closedAtMs
  if (closedMs <= CLOSED_MS_MAX) return { name, status: 'ready', isReady: true, problem: undefined }
  const problem = `the score socket is closed for ${Math.floor(closedMs / 1000)} seconds`
  return { name, status: 'degraded', isReady: true, problem }
}
