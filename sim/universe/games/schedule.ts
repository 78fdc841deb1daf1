import { hash32 } from '../random.js'
import { playCourse } from './course.js'
import type { Course, Fate, Game, League, Team } from './game.js'
import { leagueByCode } from './leagues.js'
import { endMs } from './questions.js'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
/** How long before the kick-off it becomes known that a game is put off or called off. */
const NOTICE_MS = 60 * MINUTE_MS
const PUT_OFF_MS = DAY_MS + 30 * MINUTE_MS
const GAME_ID_BASE = 1_300_000
const FIRST_DAY = Date.UTC(2026, 0, 1) / DAY_MS

type Slot = { code: string; minute: number; fate: Fate['kind'] }

const slot = (code: string, hour: number, minute = 0, fate: Fate['kind'] = 'played'): Slot => ({
  code,
  minute: hour * 60 + minute,
  fate,
})

/**
 * The games of a day, in UTC. One begins every ninety minutes and none is shorter than that, so some
 * game is always on. Those that are put off or called off come on top.
 */
const SLOTS: readonly Slot[] = [
  slot('nba', 0),
  slot('nhl', 1, 30),
  slot('nba', 3),
  slot('mls', 4, 30),
  slot('lol', 6),
  slot('cs2', 7, 30),
  slot('lol', 9),
  slot('atp', 10, 30),
  slot('wta', 12),
  slot('epl', 13, 30),
  slot('atp', 15),
  slot('epl', 16, 30),
  slot('nfl', 18),
  slot('cs2', 19, 30),
  slot('nfl', 21),
  slot('mls', 22, 30),
  slot('epl', 12),
  slot('nba', 12, 30),
  slot('nhl', 13, 15, 'postponed'),
  slot('atp', 13, 25, 'canceled'),
]

/** Sets a game apart from all others; the ids of its events and markets follow from it. */
export type Fixture = { game: Game; ordinal: number; announcedMs: number }

/** All games that are announced for a day, which is counted since 1970. */
export function fixturesOf(seed: number, day: number): Fixture[] {
  const paired = new Map<string, Team[]>()
  return SLOTS.map((each, index) => {
    const league = leagueByCode(each.code)
    const free = paired.get(each.code) ?? shuffle(league, seed, day)
    const [home, away] = free.splice(0, 2)
    if (home === undefined || away === undefined) throw new RangeError('too few teams')
    paired.set(each.code, free)
    const announcedMs = day * DAY_MS + each.minute * MINUTE_MS
    const ordinal = (day - FIRST_DAY) * SLOTS.length + index
    const game = makeGame({ seed, league, home, away, announcedMs, ordinal, fate: each.fate })
    return { game, ordinal, announcedMs }
  })
}

/** No team plays twice on one day. */
const shuffle = ({ teams }: League, seed: number, day: number): Team[] =>
  teams.toSorted((a, b) => hash32(seed, day, a.id, 251) - hash32(seed, day, b.id, 251))

type GameParts = {
  seed: number
  league: League
  home: Team
  away: Team
  announcedMs: number
  ordinal: number
  fate: Fate['kind']
}

export function makeGame(parts: GameParts): Game {
  const { seed, league, home, away, announcedMs, ordinal } = parts
  const fate = drawFate(parts)
  const [first, second] = league.ordering === 'home' ? [home, away] : [away, home]
  const date = new Date(announcedMs).toISOString().slice(0, 10)
  const startMs = fate.kind === 'postponed' ? announcedMs + PUT_OFF_MS : announcedMs
  const game = {
    id: GAME_ID_BASE + ordinal,
    league,
    home,
    away,
    slug: `${league.code}-${first.abbreviation}-${second.abbreviation}-${date}`,
    title: `${first.name} vs. ${second.name}`,
    startMs,
    fate,
  }
  if (fate.kind === 'canceled') {
    return { ...game, endMs: fate.knownMs, course: { stretches: [], goals: [] } }
  }
  const course = playAgain({ ...game, endMs: startMs, course: NOT_PLAYED }, seed)
  return { ...game, endMs: endMs(course), course }
}

const NOT_PLAYED: Course = { stretches: [], goals: [] }

/** How the game could go as well: each seed is another try. */
export const playAgain = ({ id, league, home, away, startMs }: Game, seed: number): Course =>
  playCourse(league.sport, { seed, gameId: id, startMs, edge: home.strength - away.strength })

function drawFate({ fate, announcedMs }: GameParts): Fate {
  const knownMs = announcedMs - NOTICE_MS
  switch (fate) {
    case 'played':
      return { kind: 'played' }
    case 'postponed':
      return { kind: 'postponed', knownMs, announcedMs }
    case 'canceled':
      return { kind: 'canceled', knownMs }
  }
}
