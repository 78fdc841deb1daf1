/** What is played. It decides how a game goes, how its score is written and what is asked about it. */
export type Sport =
  | 'basketball'
  | 'football'
  | 'hockey'
  | 'soccer'
  | 'tennis'
  | 'counter-strike'
  | 'league-of-legends'

/** A team, or a player where players compete by themselves. */
export type Team = {
  id: number
  /** What titles call it. */
  name: string
  /** Lower case, as it stands in slugs: `atl`, or the surname of a player. */
  abbreviation: string
  alias: string
  league: string
  record: string
  color: string
  logo: string
  providerId: number
  /** From 0 to 1: the stronger side wins more often. */
  strength: number
}

export type League = {
  id: number
  /** `nba`: the first part of its games' slugs, and what a score message calls it. */
  code: string
  name: string
  sport: Sport
  /** Which side slugs and titles name first. */
  ordering: 'home' | 'away'
  tagSlugs: readonly string[]
  /** `undefined`: its games hang on no series and are found by their tag. */
  seriesId: string | undefined
  teams: readonly Team[]
  /** Whether the list of teams knows them. */
  hasRoster: boolean
}

/** What becomes of a game: the announced kick-off holds, or it is put off, or called off. */
export type Fate =
  | { kind: 'played' }
  /** From `knownMs` on the later kick-off is announced. */
  | { kind: 'postponed'; knownMs: number; announcedMs: number }
  | { kind: 'canceled'; knownMs: number }

export type Game = {
  /** `gameId` of its events and score messages. */
  id: number
  league: League
  home: Team
  away: Team
  /** Of the main event; companion events extend it. */
  slug: string
  title: string
  /** The kick-off that counts. */
  startMs: number
  /** The final whistle, or the moment when it was called off. */
  endMs: number
  fate: Fate
  course: Course
}

export type Side = 'home' | 'away'

/** All that happens in a game, in the order of time. Of a game that is called off: nothing. */
export type Course = { stretches: readonly Stretch[]; goals: readonly Goal[] }

/** A quarter, half, period, set or map, or the break after one. */
export type Stretch = {
  period: string
  fromMs: number
  toMs: number
  isBreak: boolean
  /** What the game clock counts from its beginning to its end, in seconds; tennis and esports have none. */
  clock: { fromSec: number; toSec: number } | undefined
}

/** Whatever counts: a basket, a touchdown, a goal, a game of a set, a round or kill of a map. */
export type Goal = {
  atMs: number
  side: Side
  points: number
  /** Index of its stretch. */
  stretch: number
  /** Which player of the side scored, and who helped. */
  player: number
  helper: number
}

/** A game at one moment, as the score socket tells it. */
export type GameState = {
  /** In the words of the sport: `InProgress`, `running`, `inprogress`. */
  status: string
  /** `<home>-<away>`; tennis `6-4, 3-2`; esports `007-005|1-0|Bo3`. Empty before the start. */
  score: string
  /** `NS` before the start. */
  period: string
  /** `MM:SS` of the game clock; empty where the sport has none. */
  elapsed: string
  live: boolean
  ended: boolean
  /** Lower-case abbreviation of the side that has the ball: football only. */
  turn?: string | undefined
  finishedMs?: number | undefined
}
