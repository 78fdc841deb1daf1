import type { Course, Game, Side, Sport } from './game.js'
import {
  during,
  listed,
  marginOf,
  moneyline,
  otherSide,
  partsMargin,
  partsPlayed,
  partWinner,
  plain,
  playerOver,
  pointsOf,
  type Question,
  spread,
  teamTotal,
  total,
} from './questions.js'
import { playerName } from './rosters.js'

/** The questions of one event of a game; of exclusive ones exactly one comes true. */
export type EventQuestions = {
  suffix: string
  title: string
  isExclusive: boolean
  questions: Question[]
}

/** What the lines are set by: who is expected to win, by how much, and how many points are expected. */
export type Expected = { favourite: Side; margin: number; points: Record<Side, number> }

const FIRST_HALF = ['Q1', 'Q2']
/** Players that are asked about, of each side. */
const STARS = [0, 1]

/** All that is asked about a game, the main event first. */
export const listEventQuestions = (game: Game, expected: Expected): EventQuestions[] =>
  QUESTIONS_BY_SPORT[game.league.sport](game, expected)

/** Halfway between two whole numbers, so that there is no tie, and at least a half. */
const lineNear = (value: number): number => Math.max(0.5, Math.floor(value) + 0.5)

/** `count` different lines around the expected value. */
const linesNear = (value: number, step: number, count: number): number[] => {
  const middle = lineNear(value)
  const low = Math.max(0.5, middle - step * Math.floor(count / 2))
  return Array.from({ length: count }, (_, index) => low + index * step)
}

const main = (questions: Question[]): EventQuestions => ({
  suffix: '',
  title: '',
  isExclusive: false,
  questions,
})
const props = (questions: Question[]): EventQuestions => ({
  suffix: '-player-props',
  title: 'Player Props',
  isExclusive: false,
  questions,
})

const sum = ({ points }: Expected): number => points.home + points.away

/** One question for each star of each side. */
const ofStars = (game: Game, ask: (side: Side, player: number, name: string) => Question) =>
  listed(game).flatMap((side) => STARS.map((player) => ask(side, player, playerName(game[side], player))))

const QUESTIONS_BY_SPORT: Readonly<Record<Sport, (game: Game, expected: Expected) => EventQuestions[]>> = {
  basketball: (game, expected) => [
    main([
      moneyline(game),
      ...linesNear(expected.margin, 3, 3).map((by) => spread(game, expected.favourite, by)),
      ...linesNear(sum(expected), 4, 3).map((line) => total(game, line)),
      ...listed(game).map((side) => teamTotal(game, side, lineNear(expected.points[side]))),
      partWinner(game, {
        type: 'first_half_moneyline',
        title: '1H Moneyline',
        periods: FIRST_HALF,
      }),
      total(game, lineNear(sum(expected) / 2), {
        type: 'first_half_totals',
        title: '1H O/U',
        periods: FIRST_HALF,
      }),
    ]),
    props(
      ofStars(game, (side, player, name) =>
        playerOver('points', 'Points', game[side], name, player === 0 ? 25.5 : 20.5, (goal) =>
          goal.side === side && goal.player === player ? goal.points : 0,
        ),
      ),
    ),
  ],

  football: (game, expected) => [
    main([
      moneyline(game),
      ...linesNear(expected.margin, 3, 3).map((by) => spread(game, expected.favourite, by)),
      ...linesNear(sum(expected), 4, 2).map((line) => total(game, line)),
      ...listed(game).map((side) => teamTotal(game, side, lineNear(expected.points[side]))),
      partWinner(game, {
        type: 'first_half_moneyline',
        title: '1H Moneyline',
        periods: FIRST_HALF,
      }),
    ]),
    props(
      ofStars(game, (side, player, name) =>
        playerOver('anytime_touchdowns', 'Touchdowns', game[side], name, 0.5, (goal) =>
          goal.side === side && goal.player === player && goal.points === 7 ? 1 : 0,
        ),
      ),
    ),
  ],

  hockey: (game, expected) => [
    main([
      moneyline(game),
      spread(game, expected.favourite, 1.5),
      ...linesNear(sum(expected), 1, 3).map((line) => total(game, line)),
      ...listed(game).map((side) => teamTotal(game, side, lineNear(expected.points[side]))),
    ]),
    props(
      ofStars(game, (side, player, name) =>
        playerOver('goalscorers', 'Goals', game[side], name, 0.5, (goal) =>
          goal.side === side && goal.player === player ? 1 : 0,
        ),
      ),
    ),
  ],

  soccer: writeSoccer,

  tennis: (game, { favourite, points }) => [
    main([
      moneyline(game, partsMargin),
      partWinner(game, {
        type: 'tennis_first_set_winner',
        title: 'Set 1 Winner',
        periods: ['S1'],
      }),
      spread(game, favourite, 1.5, {
        type: 'tennis_set_handicap',
        title: 'Set Handicap',
        value: partsMargin,
      }),
      spread(game, otherSide(favourite), 1.5, {
        type: 'tennis_set_handicap',
        title: 'Set Handicap',
        value: partsMargin,
      }),
      ...linesNear(points.home + points.away, 2, 3).map((line) =>
        total(game, line, { type: 'tennis_match_totals', title: 'Match O/U' }),
      ),
      partsTotal(game, 'tennis_set_totals', 'Total Sets', 2.5),
      total(game, 9.5, {
        type: 'tennis_first_set_totals',
        title: 'Set 1 Games O/U',
        periods: ['S1'],
      }),
      plain(
        'tennis_completed_match',
        'Completed Match',
        `${game.title}: will the match be completed?`,
        () => true,
      ),
    ]),
  ],

  'counter-strike': (game, { favourite }) => [
    main([
      ...writeMapSeries(game, favourite, 3),
      total(game, 21.5, {
        type: 'round_over_under_game_1',
        title: 'Map 1 Rounds O/U',
        periods: ['1/3'],
      }),
      ...[3.5, 6.5].map((by) =>
        spread(game, favourite, by, { type: 'round_handicap_match', title: 'Round Handicap' }),
      ),
      plain(
        'cs2_odd_even_total_rounds',
        'Odd/Even Rounds',
        `${game.title}: odd or even total rounds?`,
        (course) => (pointsOf(course).home + pointsOf(course).away) % 2 === 1,
        ['Odd', 'Even'],
      ),
    ]),
  ],

  'league-of-legends': (game, { favourite }) => [
    main([
      ...writeMapSeries(game, favourite, 5),
      partsTotal(game, 'totals', 'Total Maps', 3.5),
      total(game, 28.5, {
        type: 'kill_over_under_game',
        title: 'Game 1 Kills O/U',
        periods: ['1/5'],
      }),
      spread(game, favourite, 0.5, { type: 'kill_most_2_way_match', title: 'Most Kills' }),
    ]),
  ],
}

/** What is asked about every series of maps. */
function writeMapSeries(game: Game, favourite: Side, mapsMax: number): Question[] {
  const maps = Array.from({ length: (mapsMax + 1) / 2 }, (_, index) => index + 1)
  return [
    moneyline(game, partsMargin),
    // The maps that are played in any case.
    ...maps.map((map) =>
      partWinner(game, {
        type: 'child_moneyline',
        title: `Map ${map} Winner`,
        periods: [`${map}/${mapsMax}`],
      }),
    ),
    ...[favourite, otherSide(favourite)].map((side) =>
      spread(game, side, 1.5, { type: 'map_handicap', title: 'Map Handicap', value: partsMargin }),
    ),
    partsTotal(game, 'totals', 'Total Maps', mapsMax - 0.5),
  ]
}

/** Whether more than `line` sets or maps are played. */
const partsTotal = (game: Game, type: string, title: string, line: number): Question => ({
  ...plain(type, `${title} O/U ${line}`, `${game.title}: ${title} O/U ${line}`, isOver(line), [
    'Over',
    'Under',
  ]),
  line,
})

const isOver =
  (line: number) =>
  (course: Course): boolean =>
    partsPlayed(course) > line

const EXACT_SCORES = ['0-0', '1-0', '0-1', '1-1', '2-1', '1-2']

/** Three-way questions and exact scores exclude each other; each kind has an event of its own. */
function writeSoccer(game: Game, expected: Expected): EventQuestions[] {
  const day = new Date(game.startMs).toISOString().slice(0, 10)
  const threeWay = (type: string, about: string, periods: readonly string[]): Question[] => {
    const counts = during(...periods)
    const win = (side: Side) =>
      plain(type, game[side].name, `Will ${game[side].name} win${about} on ${day}?`, (course) => {
        return marginOf(course, side, counts) > 0
      })
    const draw = plain(
      type,
      'Draw',
      `Will ${game.title} end in a draw${about}?`,
      (course) => marginOf(course, 'home', counts) === 0,
    )
    const decidedMs = (course: Course) =>
      course.stretches.findLast(({ period }) => periods.includes(period))?.toMs ?? 0
    return [win('home'), win('away'), draw].map((question) => ({ ...question, decidedMs }))
  }
  const companion = (suffix: string, title: string, questions: Question[]): EventQuestions => ({
    suffix,
    title,
    isExclusive: true,
    questions,
  })
  const first = ({ goals }: Course): Side | undefined => goals[0]?.side
  const firstAtMs = ({ goals, stretches }: Course) => goals[0]?.atMs ?? stretches.at(-1)?.toMs ?? 0
  return [
    companion('', '', threeWay('moneyline', '', ['1H', '2H'])),
    {
      suffix: '-more-markets',
      title: 'More Markets',
      isExclusive: false,
      questions: [
        ...[1.5, 2.5].map((by) => spread(game, expected.favourite, by)),
        ...[1.5, 2.5, 3.5].map((line) => total(game, line)),
        plain(
          'both_teams_to_score',
          'Both Teams to Score',
          `${game.title}: Both Teams to Score?`,
          (course) => pointsOf(course).home > 0 && pointsOf(course).away > 0,
        ),
      ],
    },
    companion(
      '-halftime-result',
      'Halftime Result',
      threeWay('soccer_halftime_result', ' the first half', ['1H']),
    ),
    companion(
      '-second-half-result',
      'Second Half Result',
      threeWay('soccer_second_half_result', ' the second half', ['2H']),
    ),
    companion('-exact-score', 'Exact Score', writeExactScores(game)),
    companion('-first-to-score', 'First to Score', [
      ...(['home', 'away'] as const).map((side) => ({
        ...plain(
          'soccer_first_to_score',
          game[side].name,
          `Will ${game[side].name} score first against ${game[otherSide(side)].name}?`,
          (course) => first(course) === side,
        ),
        decidedMs: firstAtMs,
      })),
      {
        ...plain(
          'soccer_first_to_score',
          'No Goal',
          `Will ${game.title} end without a goal?`,
          (course) => first(course) === undefined,
        ),
        decidedMs: firstAtMs,
      },
    ]),
    props(
      ofStars(game, (side, player, name) =>
        playerOver('soccer_anytime_goalscorer', 'Goals', game[side], name, 0.5, (goal) =>
          goal.side === side && goal.player === player ? 1 : 0,
        ),
      ),
    ),
  ]
}

function writeExactScores(game: Game): Question[] {
  const scoreOf = (course: Course) => {
    const { home, away } = pointsOf(course)
    return `${home}-${away}`
  }
  const type = 'soccer_exact_score'
  return [
    ...EXACT_SCORES.map((score) =>
      plain(type, score, `Exact Score: ${game.title} ${score}?`, (c) => scoreOf(c) === score),
    ),
    plain(
      type,
      'Any Other Score',
      `Exact Score: ${game.title} any other score?`,
      (course) => !EXACT_SCORES.includes(scoreOf(course)),
    ),
  ]
}
