import type { Course, Game, GameState, Goal, Side, Sport, Stretch } from './game.js'

type Words = { scheduled: string; running: string; break: string; postponed: string } & {
  canceled: string
  final: (course: Course) => string
}

const AMERICAN: Words = {
  scheduled: 'Scheduled',
  running: 'InProgress',
  break: 'InProgress',
  postponed: 'Postponed',
  canceled: 'Canceled',
  final: ({ stretches }) => {
    const last = stretches.at(-1)?.period
    return last === 'OT' ? 'F/OT' : last === 'SO' ? 'F/SO' : 'Final'
  },
}
const SOCCER: Words = { ...AMERICAN, break: 'Break', final: () => 'Final' }
const ESPORTS: Words = {
  scheduled: 'not_started',
  running: 'running',
  break: 'running',
  postponed: 'postponed',
  canceled: 'canceled',
  final: () => 'finished',
}
const TENNIS: Words = {
  ...ESPORTS,
  scheduled: 'scheduled',
  running: 'inprogress',
  break: 'inprogress',
  canceled: 'cancelled',
}

/** The words that the score socket has for the states of a game. They differ from sport to sport. */
const WORDS: Readonly<Record<Sport, Words>> = {
  basketball: AMERICAN,
  football: AMERICAN,
  hockey: AMERICAN,
  soccer: SOCCER,
  tennis: TENNIS,
  'counter-strike': ESPORTS,
  'league-of-legends': ESPORTS,
}

/** For this long after the first kick-off a game that is put off is called so; then it is scheduled again. */
const POSTPONED_MS = 2 * 3_600_000

/** Follows from the game alone, so it can be asked of any moment. */
export function gameStateAt(game: Game, atMs: number): GameState {
  const { course, endMs, startMs, fate, league } = game
  const words = WORDS[league.sport]
  if (fate.kind === 'canceled' && atMs >= fate.knownMs) {
    const rest = { score: '', period: 'CAN', elapsed: '', finishedMs: fate.knownMs }
    return { status: words.canceled, ...rest, live: false, ended: true }
  }
  if (atMs < startMs) {
    const isPutOff = fate.kind === 'postponed' && isShownPostponed(fate, atMs)
    const status = isPutOff ? words.postponed : words.scheduled
    const period = isPutOff ? 'POST' : 'NS'
    return { status, score: '', period, elapsed: '', live: false, ended: false }
  }
  const score = writeScore(game, atMs)
  if (atMs >= endMs) {
    const status = words.final(course)
    const period = finalPeriod(game)
    return { status, score, period, elapsed: '', live: false, ended: true, finishedMs: endMs }
  }
  const stretch = stretchAt(course, atMs)
  const turn = league.sport === 'football' ? possession(game, atMs) : undefined
  return {
    status: stretch?.isBreak ? words.break : words.running,
    score,
    period: stretch?.period ?? '',
    elapsed: stretch === undefined ? '' : clockText(stretch, atMs),
    live: true,
    ended: false,
    ...(turn === undefined ? {} : { turn }),
  }
}

const isShownPostponed = (fate: { knownMs: number; announcedMs: number }, atMs: number): boolean =>
  atMs >= fate.knownMs && atMs < fate.announcedMs + POSTPONED_MS

/** The kick-off that is announced at that moment. */
export const announcedStartMs = ({ fate, startMs }: Game, atMs: number): number =>
  fate.kind === 'postponed' && atMs < fate.knownMs ? fate.announcedMs : startMs

const stretchAt = ({ stretches }: Course, atMs: number): Stretch | undefined =>
  stretches.findLast(({ fromMs }) => fromMs <= atMs)

function finalPeriod({ league, course }: Game): string {
  const last = course.stretches.at(-1)?.period ?? 'FT'
  if (league.sport === 'counter-strike' || league.sport === 'league-of-legends') return last
  return last === 'OT' || last === 'SO' ? `FT ${last}` : 'FT'
}

function clockText({ clock, fromMs, toMs }: Stretch, atMs: number): string {
  if (clock === undefined) return ''
  const share = Math.min(1, (atMs - fromMs) / (toMs - fromMs))
  const sec = Math.floor(clock.fromSec + (clock.toSec - clock.fromSec) * share)
  return `${twoDigits(Math.floor(sec / 60))}:${twoDigits(sec % 60)}`
}

const twoDigits = (count: number): string => String(count).padStart(2, '0')

/** The side that did not score last has the ball; drives that end without points change it too. */
function possession({ home, away, course, id }: Game, atMs: number): string {
  const last = course.goals.findLast((goal) => goal.atMs <= atMs)
  const drives = Math.floor((atMs - (last?.atMs ?? 0)) / (6 * 60_000))
  const isHome = ((last?.side === 'away' ? 1 : 0) + drives + (last === undefined ? id : 0)) % 2 === 1
  return (isHome ? home : away).abbreviation
}

/** Points of the sides so far, of one stretch or of all. */
export function pointsAt(
  { goals }: Course,
  atMs = Number.POSITIVE_INFINITY,
  counts: (goal: Goal) => boolean = () => true,
): Record<Side, number> {
  const points = { home: 0, away: 0 }
  for (const goal of goals) {
    if (goal.atMs > atMs) break
    if (counts(goal)) points[goal.side] += goal.points
  }
  return points
}

function writeScore({ course, league }: Game, atMs: number): string {
  switch (league.sport) {
    case 'tennis':
      return setsAt(course, atMs)
        .map(({ home, away }) => `${home}-${away}`)
        .join(', ')
    case 'counter-strike':
    case 'league-of-legends':
      return writeMaps(course, atMs)
    default: {
      const { home, away } = pointsAt(course, atMs)
      return `${home}-${away}`
    }
  }
}

/** Points in each stretch that has begun, breaks left out. */
export function setsAt(course: Course, atMs = Number.POSITIVE_INFINITY): Record<Side, number>[] {
  return course.stretches.flatMap(({ fromMs, isBreak }, index) =>
    isBreak || fromMs > atMs ? [] : [pointsAt(course, atMs, ({ stretch }) => stretch === index)],
  )
}

/** The map that is played, the maps won, and how many there are at most. */
function writeMaps(course: Course, atMs: number): string {
  const isOver = atMs >= (course.stretches.at(-1)?.toMs ?? 0)
  const current = isOver ? { home: 0, away: 0 } : (setsAt(course, atMs).at(-1) ?? NOTHING)
  const won = { home: 0, away: 0 }
  course.stretches.forEach(({ toMs, isBreak }, index) => {
    if (isBreak || toMs > atMs) return
    const { home, away } = pointsAt(course, atMs, ({ stretch }) => stretch === index)
    won[home > away ? 'home' : 'away'] += 1
  })
  const digits = (points: number) => String(points).padStart(3, '0')
  const format = course.stretches[0]?.period.split('/')[1] ?? '3'
  return `${digits(current.home)}-${digits(current.away)}|${won.home}-${won.away}|Bo${format}`
}

const NOTHING = { home: 0, away: 0 }
