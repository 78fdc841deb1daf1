import { Counter, Gauge, type Registry } from 'prom-client'
import type { Bus } from '../bus/bus.js'
import { type BusEvent, type EventDraft, NO_KEYS } from '../bus/event.js'
import type { Clock } from '../core/clock.js'
import type { ScoreMessage } from '../upstreams/sports-ws/parse.js'
import { applyScore, type GameScore } from './game-score.js'

/** Above this the game whose last message is the oldest is dropped first. */
const GAMES_MAX = 5_000
const HOUR_MS = 3_600_000
/** How long the score of a game is kept after its last message. */
const ENDED_MS_MAX = 6 * HOUR_MS
const QUIET_MS_MAX = 24 * HOUR_MS
/** A game is not taken for live any more when no message about it came for this long. */
const LIVE_MS_MAX = HOUR_MS
const SWEEP_MS = 60_000
/** How many games without a slug one pass looks up, and when one that was not found is looked up again. */
const LOOKUPS_PER_PASS = 10
const LOOKUP_AGAIN_MS = 600_000

type Entry = { score: GameScore; event: BusEvent | undefined; lookupAtMs: number }

type LiveScoresOptions = {
  scoreBus: Bus
  clock: Clock
  registry: Registry
  gamesMax?: number | undefined
}

/**
 * The last score of each game that this process received, and the publisher of what changes. Messages
 * that repeat what is known, or are older, change nothing.
 */
export class LiveScores {
  readonly #options: LiveScoresOptions
  /** In the order of their last messages. */
  readonly #entries = new Set<Entry>()
  readonly #byId = new Map<string, Entry>()
  readonly #bySlug = new Map<string, Entry>()
  readonly #metrics: ReturnType<typeof createScoreMetrics>
  #sweptMs = 0
  #lastMessageMs: number | undefined

  constructor(options: LiveScoresOptions) {
    this.#options = options
    this.#metrics = createScoreMetrics(options.registry, () => this.status)
  }

  /** The last score of the game with this slug; `undefined`: no message was about it, or long ago. */
  get(slug: string): GameScore | undefined {
    return this.#bySlug.get(slug)?.score
  }

  /** Whether a game is being played, so that messages must come. */
  get hasLiveGames(): boolean {
    for (const entry of this.#entries) if (this.#isLive(entry)) return true
    return false
  }

  get status() {
    let live = 0
    for (const entry of this.#entries) if (this.#isLive(entry)) live++
    return { games: this.#entries.size, live, lastMessageMs: this.#lastMessageMs }
  }

  accept(message: ScoreMessage): void {
    const nowMs = this.#options.clock.now()
    this.#lastMessageMs = nowMs
    const entry = this.#find(message)
    const step = applyScore(entry?.score, message, nowMs)
    this.#metrics.messages.inc({ result: step.kind })
    if (step.kind === 'late') return
    const { score } = step
    const next = entry ?? { score, event: undefined, lookupAtMs: nowMs }
    // Its names may be others from now on.
    this.#drop(next)
    next.score = score
    this.#keep(next)
    if (step.kind === 'changed') this.#publish(next)
    this.#sweep(nowMs)
  }

  /** The last message of each game that is being played, oldest first. */
  liveEvents(): BusEvent[] {
    return this.#eventsOf([...this.#entries].filter((entry) => this.#isLive(entry)))
  }

  /** The last message of these games, whether they are being played or not, oldest first. */
  eventsOfGames(slugs: Iterable<string>): BusEvent[] {
    return this.#eventsOf([...slugs].flatMap((slug) => this.#bySlug.get(slug) ?? []))
  }

  /**
   * Finds the slugs of games that were named by their ids alone, a few in each call, and publishes their
   * scores again. `findSlug`: `undefined` when no event has the game.
   */
  async nameGames(findSlug: (gameId: string) => Promise<string | undefined>): Promise<void> {
    const { clock } = this.#options
    const unnamed = [...this.#entries].filter(
      ({ score, lookupAtMs }) => score.slug === undefined && lookupAtMs <= clock.now(),
    )
    for (const entry of unnamed.slice(0, LOOKUPS_PER_PASS)) {
      const { gameId } = entry.score
      const slug = gameId === undefined ? undefined : await findSlug(gameId)
      entry.lookupAtMs = clock.now() + LOOKUP_AGAIN_MS
      // A message may have named it meanwhile, or it may have been dropped.
      const isWanted = this.#entries.has(entry) && entry.score.slug === undefined
      if (slug === undefined || !isWanted || this.#bySlug.has(slug)) continue
      entry.score = { ...entry.score, slug }
      this.#bySlug.set(slug, entry)
      this.#publish(entry)
    }
  }

  #find({ gameId, slug }: ScoreMessage): Entry | undefined {
    const byId = gameId === undefined ? undefined : this.#byId.get(gameId)
    if (byId !== undefined || slug === undefined) return byId
    const bySlug = this.#bySlug.get(slug)
    // Another id under the same slug is another game, such as one that was scheduled again.
    const isOther = gameId !== undefined && bySlug?.score.gameId !== undefined
    return isOther ? undefined : bySlug
  }

  #keep(entry: Entry): void {
    const { gameId, slug } = entry.score
    this.#entries.add(entry)
    if (gameId !== undefined) this.#byId.set(gameId, entry)
    if (slug !== undefined) this.#bySlug.set(slug, entry)
    for (const oldest of this.#entries) {
      if (this.#entries.size <= (this.#options.gamesMax ?? GAMES_MAX)) break
      this.#drop(oldest)
    }
  }

  #drop(entry: Entry): void {
    const { gameId, slug } = entry.score
    this.#entries.delete(entry)
    if (gameId !== undefined && this.#byId.get(gameId) === entry) this.#byId.delete(gameId)
    if (slug !== undefined && this.#bySlug.get(slug) === entry) this.#bySlug.delete(slug)
  }

  #publish(entry: Entry): void {
    const { events, publish } = this.#options.scoreBus.reserve([toScoreEvent(entry.score)])
    entry.event = events[0]
    publish()
  }

  #sweep(nowMs: number): void {
    if (nowMs - this.#sweptMs < SWEEP_MS) return
    this.#sweptMs = nowMs
    for (const entry of this.#entries) {
      const { ended, receivedAtMs } = entry.score
      const keepMs = ended === true ? ENDED_MS_MAX : QUIET_MS_MAX
      if (nowMs - receivedAtMs > keepMs) this.#drop(entry)
    }
  }

  #isLive({ score }: Entry): boolean {
    const { live, ended, receivedAtMs } = score
    const ageMs = this.#options.clock.now() - receivedAtMs
    return live === true && ended !== true && ageMs <= LIVE_MS_MAX
  }

  #eventsOf(entries: readonly Entry[]): BusEvent[] {
    return entries.flatMap(({ event }) => event ?? []).sort((a, b) => a.seq - b.seq)
  }
}

function createScoreMetrics(registry: Registry, statusOf: () => { games: number; live: number }) {
  const registers = [registry]
  new Gauge({
    name: 'auspex_score_games',
    help: 'Games whose last score is kept, and those of them that are being played',
    labelNames: ['what'] as const,
    registers,
    collect() {
      const { games, live } = statusOf()
      this.set({ what: 'kept' }, games)
      this.set({ what: 'live' }, live)
    },
  })
  return {
    messages: new Counter({
      name: 'auspex_score_messages_total',
      help: 'Messages of the score socket by what they did: changed, repeated, or late and dropped',
      labelNames: ['result'] as const,
      registers,
    }),
  }
}

const SOURCE = 'polymarket_sports'

/** The live message of a score. */
function toScoreEvent(score: GameScore): EventDraft {
  const { gameId, slug, league, turn, updatedMs, finishedMs, changedAtMs } = score
  const type = 'score_update'
  const timestampMs = updatedMs ?? changedAtMs
  const data = {
    event_type: type,
    game_id: gameId ?? null,
    slug: slug ?? null,
    league: league ?? null,
    home_team: score.homeTeam ?? null,
    away_team: score.awayTeam ?? null,
    status: score.status ?? null,
    score: score.score ?? null,
    period: score.period ?? null,
    elapsed: score.elapsed ?? null,
    live: score.live ?? null,
    ended: score.ended ?? null,
    turn,
    finished_at: finishedMs,
  }
  return {
    type,
    timestampMs,
    data,
    keys: { ...NO_KEYS, league, gameSlug: slug },
    head: { type, source: SOURCE, received_at: changedAtMs, timestamp: timestampMs },
  }
}
