import { Rng } from '../random.js'
import type { Course, Goal, Side, Sport, Stretch } from './game.js'

const MINUTE_MS = 60_000
/** No game is shorter: whenever one ends, the next has begun. */
const GAME_MS_MIN = 95 * MINUTE_MS
const PLAYERS = 8

export type CourseParts = { seed: number; gameId: number; startMs: number; edge: number }

/**
 * How a game goes, from the first minute to the last. `edge`: how much stronger the home side is, from
 * -1 to 1. Another seed plays the same game again, with another end.
 */
export function playCourse(sport: Sport, { seed, gameId, startMs, edge }: CourseParts): Course {
  const writer = new CourseWriter(new Rng(seed, gameId, 241), startMs)
  PLAYS[sport](writer, edge)
  return writer.course()
}

/** Writes down stretches and goals; its time goes on with each stretch. */
class CourseWriter {
  readonly rng: Rng
  readonly #stretches: Stretch[] = []
  readonly #goals: Goal[] = []
  readonly #points = { home: 0, away: 0 }
  #atMs: number

  constructor(rng: Rng, startMs: number) {
    this.rng = rng
    this.#atMs = startMs
  }

  get isTied(): boolean {
    return this.#points.home === this.#points.away
  }

  stretch(period: string, minutes: number, clock?: Stretch['clock'], isBreak = false): void {
    const fromMs = this.#atMs
    this.#atMs += Math.round(minutes * 60) * 1_000
    this.#stretches.push({ period, fromMs, toMs: this.#atMs, isBreak, clock })
  }

  /** A break keeps the clock of the stretch before it. */
  pause(period: string, minutes: number): void {
    const sec = this.#stretches.at(-1)?.clock?.toSec
    const clock = sec === undefined ? undefined : { fromSec: sec, toSec: sec }
    this.stretch(period, minutes, clock, true)
  }

  /** Adds `count` goals at random moments of the last stretch. */
  scatter(count: number, draw: () => Pick<Goal, 'side' | 'points'>): void {
    const shares = Array.from({ length: count }, () => this.rng.next()).sort((a, b) => a - b)
    for (const share of shares) this.score(draw(), share)
  }

  /** `share`: where in the last stretch. */
  score({ side, points }: Pick<Goal, 'side' | 'points'>, share: number): void {
    const stretch = this.#stretches.length - 1
    const { fromMs = 0, toMs = 0 } = this.#stretches[stretch] ?? {}
    // Whole seconds after its beginning, at the latest with its end.
    const sec = 1 + Math.floor(share * ((toMs - fromMs) / 1_000 - 1))
    this.#points[side] += points
    const player = Math.floor(PLAYERS * this.rng.next() ** 1.6)
    const helper = Math.floor(PLAYERS * this.rng.next())
    this.#goals.push({ atMs: fromMs + sec * 1_000, side, points, stretch, player, helper })
  }

  course(): Course {
    const startMs = this.#stretches[0]?.fromMs ?? 0
    const factor = Math.max(1, GAME_MS_MIN / (this.#atMs - startMs))
    const slower = (ms: number) => startMs + Math.round(((ms - startMs) * factor) / 1_000) * 1_000
    return {
      stretches: this.#stretches.map((stretch) => ({
        ...stretch,
        fromMs: slower(stretch.fromMs),
        toMs: slower(stretch.toMs),
      })),
      goals: this.#goals.map((goal) => ({ ...goal, atMs: slower(goal.atMs) })),
    }
  }
}

type Play = (writer: CourseWriter, edge: number) => void

const QUARTERS = ['Q1', 'Q2', 'Q3', 'Q4']

/** Four quarters with a long break in the middle. */
function playQuarters(
  writer: CourseWriter,
  minutes: number,
  clockSec: number,
  draw: () => void,
  longBreak: number,
): void {
  QUARTERS.forEach((period, index) => {
    if (index > 0) writer.pause(index === 2 ? 'HT' : `End ${index}`, index === 2 ? longBreak : 3)
    writer.stretch(period, minutes, { fromSec: 0, toSec: clockSec })
    draw()
  })
}

const drawSide = (rng: Rng, homeChance: number): Side => (rng.chance(homeChance) ? 'home' : 'away')

const PLAYS: Readonly<Record<Sport, Play>> = {
  basketball(writer, edge) {
    const { rng } = writer
    const basket = () => ({
      side: drawSide(rng, 0.505 + 0.05 * edge),
      points: rng.chance(0.65) ? 2 : rng.chance(0.7) ? 3 : 1,
    })
    playQuarters(writer, 30, 720, () => writer.scatter(rng.poisson(25), basket), 15)
    if (!writer.isTied) return
    writer.stretch('OT', 14, { fromSec: 0, toSec: 300 })
    writer.scatter(rng.poisson(8), basket)
    if (writer.isTied) writer.score({ side: basket().side, points: 2 }, 1)
  },

  football(writer, edge) {
    const { rng } = writer
    const score = () => ({
      side: drawSide(rng, 0.52 + 0.2 * edge),
      points: rng.chance(0.6) ? 7 : 3,
    })
    playQuarters(writer, 38, 900, () => writer.scatter(rng.poisson(2.1), score), 13)
    if (!writer.isTied) return
    writer.stretch('OT', 18, { fromSec: 0, toSec: 600 })
    writer.score({ ...score(), points: 3 }, rng.between(0.3, 1))
  },

  hockey(writer, edge) {
    const { rng } = writer
    const goal = () => ({ side: drawSide(rng, 0.52 + 0.2 * edge), points: 1 })
    for (const period of ['P1', 'P2', 'P3']) {
      if (period !== 'P1') writer.pause(`End ${period === 'P2' ? 1 : 2}`, 17)
      writer.stretch(period, 38, { fromSec: 0, toSec: 1_200 })
      writer.scatter(rng.poisson(1.9), goal)
    }
    if (!writer.isTied) return
    const isDecided = rng.chance(0.6)
    writer.stretch('OT', 9, { fromSec: 0, toSec: 300 })
    if (isDecided) return writer.score(goal(), rng.between(0.2, 1))
    writer.stretch('SO', 8)
    writer.score(goal(), 1)
  },

  soccer(writer, edge) {
    const { rng } = writer
    const goal = () => ({ side: drawSide(rng, 0.55 + 0.25 * edge), points: 1 })
    writer.stretch('1H', 47, { fromSec: 0, toSec: 2_820 })
    writer.scatter(rng.poisson(1.2), goal)
    writer.pause('HT', 15)
    writer.stretch('2H', 49, { fromSec: 2_700, toSec: 5_640 })
    writer.scatter(rng.poisson(1.5), goal)
  },

  tennis(writer, edge) {
    const { rng } = writer
    const won = { home: 0, away: 0 }
    for (let set = 1; won.home < 2 && won.away < 2; set++) {
      const games: Side[] = []
      const count = { home: 0, away: 0 }
      while (!isSetOver(count.home, count.away)) {
        const side = drawSide(rng, 0.5 + 0.14 * edge)
        count[side] += 1
        games.push(side)
      }
      writer.stretch(`S${set}`, games.length * rng.between(4, 5))
      games.forEach((side, index) => {
        writer.score({ side, points: 1 }, (index + 1) / games.length)
      })
      won[count.home > count.away ? 'home' : 'away'] += 1
    }
  },

  'counter-strike'(writer, edge) {
    playMaps(writer, 3, () => {
      const { rng } = writer
      const rounds: Side[] = []
      const count = { home: 0, away: 0 }
      while (count.home < 13 && count.away < 13) {
        const side = drawSide(rng, 0.5 + 0.12 * edge)
        count[side] += 1
        rounds.push(side)
      }
      return { sides: rounds, minutes: rounds.length * 2.1 }
    })
  },

  'league-of-legends'(writer, edge) {
    playMaps(writer, 5, () => {
      const { rng } = writer
      const kills = Array.from({ length: 19 + rng.below(20) }, () => drawSide(rng, 0.5 + 0.1 * edge))
      // Who has more kills wins the map.
      const lead = kills.reduce((sum, side) => sum + (side === 'home' ? 1 : -1), 0)
      if (lead === 0) kills.push(drawSide(rng, 0.5 + 0.1 * edge))
      return { sides: kills, minutes: rng.between(26, 38) }
    })
  },
}

const isSetOver = (a: number, b: number): boolean => {
  const most = Math.max(a, b)
  return most === 7 || (most === 6 && Math.abs(a - b) >= 2)
}

/** Best of a number of maps: it is over when one side has won more than half of them. */
function playMaps(
  writer: CourseWriter,
  mapsMax: number,
  play: () => { sides: readonly Side[]; minutes: number },
): void {
  const won = { home: 0, away: 0 }
  for (let map = 1; Math.max(won.home, won.away) * 2 < mapsMax; map++) {
    if (map > 1) writer.pause(`${map}/${mapsMax}`, 6)
    const { sides, minutes } = play()
    writer.stretch(`${map}/${mapsMax}`, minutes)
    sides.forEach((side, index) => {
      writer.score({ side, points: 1 }, (index + 1) / sides.length)
    })
    const home = sides.filter((side) => side === 'home').length
    won[home * 2 > sides.length ? 'home' : 'away'] += 1
  }
}
