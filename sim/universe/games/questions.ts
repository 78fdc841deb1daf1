import type { Course, Game, Goal, Side, Team } from './game.js'
import { pointsAt } from './game-state.js'

/** What is asked about a game. */
export type Question = {
  /** Gamma's word for its kind. */
  type: string
  line?: number | undefined
  /** Title inside of its event. */
  title: string
  text: string
  outcomes: readonly [string, string]
  /** What outcome 0 pays when the game goes like this: 1, 0, or a half. */
  settle: (course: Course) => number
  /** When that is certain, at the latest with the end of the game. */
  decidedMs: (course: Course) => number
}

/** Which goals count. */
type Counts = (goal: Goal, course: Course) => boolean

export const ALL: Counts = () => true

/** Goals of these periods. */
export const during =
  (...periods: readonly string[]): Counts =>
  ({ stretch }, { stretches }) =>
    periods.includes(stretches[stretch]?.period ?? '')

export const endMs = ({ stretches }: Course): number => stretches.at(-1)?.toMs ?? 0

/** The end of the last of these periods that is played. */
const periodEndMs =
  (periods: readonly string[]) =>
  (course: Course): number =>
    course.stretches.findLast(({ period }) => periods.includes(period))?.toMs ?? endMs(course)

export const pointsOf = (course: Course, counts: Counts = ALL): Record<Side, number> =>
  pointsAt(course, Number.POSITIVE_INFINITY, (goal) => counts(goal, course))

export const marginOf = (course: Course, side: Side, counts: Counts = ALL): number => {
  const { home, away } = pointsOf(course, counts)
  return side === 'home' ? home - away : away - home
}

/** 1 when it is positive, a half when it is nothing. */
const half = (margin: number): number => (margin > 0 ? 1 : margin < 0 ? 0 : 0.5)
const yes = (isSo: boolean): number => (isSo ? 1 : 0)

/** The sides in the order in which the league names them. */
export const listed = ({ league }: Pick<Game, 'league'>): readonly [Side, Side] =>
  league.ordering === 'home' ? ['home', 'away'] : ['away', 'home']

export const otherSide = (side: Side): Side => (side === 'home' ? 'away' : 'home')

/** Who wins; `value` is what counts, points unless the game is won by sets or maps. */
export function moneyline(game: Game, value: (course: Course, side: Side) => number = marginOf): Question {
  const [first, second] = listed(game)
  return {
    type: 'moneyline',
    title: '',
    text: game.title,
    outcomes: [game[first].name, game[second].name],
    settle: (course) => half(value(course, first)),
    decidedMs: endMs,
  }
}

/** Who wins some periods. */
export function partWinner(
  game: Game,
  { type, title, periods }: { type: string; title: string; periods: readonly string[] },
): Question {
  const [first, second] = listed(game)
  return {
    type,
    title,
    text: `${game.title}: ${title}`,
    outcomes: [game[first].name, game[second].name],
    settle: (course) => half(marginOf(course, first, during(...periods))),
    decidedMs: periodEndMs(periods),
  }
}

/** Whether the side wins by more than `by`. */
export function spread(
  game: Game,
  side: Side,
  by: number,
  { type = 'spreads', title = 'Spread', value = marginOf as (course: Course, side: Side) => number } = {},
): Question {
  const { name } = game[side]
  return {
    type,
    line: -by,
    title: `${title} -${by}`,
    text: `${title}: ${name} (-${by})`,
    outcomes: [name, game[otherSide(side)].name],
    settle: (course) => yes(value(course, side) > by),
    decidedMs: endMs,
  }
}

/** Whether there are more than `line` points of the goals that count. */
export function total(
  game: Game,
  line: number,
  { type = 'totals', title = 'O/U', counts = ALL, periods = undefined as readonly string[] | undefined } = {},
): Question {
  const isCounted: Counts = (goal, course) =>
    counts(goal, course) && (periods === undefined || during(...periods)(goal, course))
  const sum = (course: Course) => {
    const { home, away } = pointsOf(course, isCounted)
    return home + away
  }
  return {
    type,
    line,
    title: `${title} ${line}`,
    text: `${game.title}: ${title} ${line}`,
    outcomes: ['Over', 'Under'],
    settle: (course) => yes(sum(course) > line),
    decidedMs: (course) =>
      passedMs(course, isCounted, line) ??
      (periods === undefined ? endMs(course) : periodEndMs(periods)(course)),
  }
}

/** When the points passed the line. */
function passedMs(course: Course, counts: Counts, line: number): number | undefined {
  let sum = 0
  for (const goal of course.goals) {
    if (counts(goal, course)) sum += goal.points
    if (sum > line) return goal.atMs
  }
  return undefined
}

export const teamTotal = (game: Game, side: Side, line: number, type = 'team_totals'): Question =>
  total(game, line, {
    type,
    title: `${game[side].name} O/U`,
    counts: (goal) => goal.side === side,
  })

/** Anything that the final numbers answer with yes or no. */
export function plain(
  type: string,
  title: string,
  text: string,
  isTrue: (course: Course) => boolean,
  outcomes: readonly [string, string] = ['Yes', 'No'],
): Question {
  const settle = (course: Course) => yes(isTrue(course))
  return { type, title, text, outcomes, settle, decidedMs: endMs }
}

/** Whether a player gets more than `line` of something. */
export function playerOver(
  type: string,
  what: string,
  team: Team,
  name: string,
  line: number,
  value: (goal: Goal) => number,
): Question {
  const sum = ({ goals }: Course) => goals.reduce((all, goal) => all + value(goal), 0)
  return {
    type,
    line,
    title: `${name}: ${what} O/U ${line}`,
    text: `${name} (${team.name}): ${what} over ${line}?`,
    outcomes: ['Yes', 'No'],
    settle: (course) => yes(sum(course) > line),
    decidedMs: endMs,
  }
}

/** Sets or maps that the side has won more than the other. */
export function partsMargin(course: Course, side: Side): number {
  let margin = 0
  course.stretches.forEach(({ isBreak }, index) => {
    if (isBreak) return
    margin += Math.sign(marginOf(course, side, ({ stretch }) => stretch === index))
  })
  return margin
}

/** Sets or maps that are played. */
export const partsPlayed = ({ stretches }: Course): number =>
  stretches.filter(({ isBreak }) => !isBreak).length
