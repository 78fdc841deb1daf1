import { buildEvent, type EventDraft, type MarketDraft, type OnTokens } from '../event-builder.js'
import type { MarketEvent, Model, Payouts, Series } from '../market.js'
import { hash32 } from '../random.js'
import { tagsBySlug } from '../tags.js'
import { type EventQuestions, type Expected, listEventQuestions } from './event-questions.js'
import type { Course, Game } from './game.js'
import { endMs, marginOf, pointsOf, type Question } from './questions.js'
import { type Fixture, playAgain } from './schedule.js'

const MINUTE_MS = 60_000
const EVENT_ID_BASE = 900_000
const MARKET_ID_BASE = 9_000_000
const EVENTS_PER_GAME_MAX = 8
const QUESTIONS_MAX = 64
const FEE_RATE = 0.03
/** Results are on the chain some minutes after the end: a feed answers, not the slow oracle. */
const RESULT_MS = 3 * MINUTE_MS
const RESULT_SPREAD_MS = 4 * MINUTE_MS
/** How often a game is tried out to see what is likely. */
const TRIES = 40
/** What a game's best-known question draws, compared with other matters. */
const POPULARITY = 1.2

/** The main event of a game and its companions. */
export function buildGameEvents(
  seed: number,
  { game, ordinal }: Pick<Fixture, 'game' | 'ordinal'>,
  createdMs: number,
  series: Series | undefined,
  onTokens: OnTokens,
): MarketEvent[] {
  const tries = Array.from({ length: TRIES }, (_, index) => playAgain(game, seed + 1_000 + index))
  const events = listEventQuestions(game, expect(tries))
  let marketId = MARKET_ID_BASE + ordinal * QUESTIONS_MAX
  const salt = hash32(seed, ordinal, 261)
  return events.map((eventQuestions, number) => {
    const firstId = marketId
    marketId += eventQuestions.questions.length
    const draft: EventDraft = {
      id: String(EVENT_ID_BASE + ordinal * EVENTS_PER_GAME_MAX + number),
      slug: `${game.slug}${eventQuestions.suffix}`,
      title: eventQuestions.title === '' ? game.title : `${game.title} - ${eventQuestions.title}`,
      description: describe(game),
      category: 'Sports',
      resolutionSource: `https://www.${game.league.code}.example/results`,
      image: `https://polymarket-upload.s3.us-east-2.amazonaws.com/league-${game.league.code}.png`,
      tags: tagsBySlug(game.league.tagSlugs),
      series,
      createdMs: createdMs + number * 1_000,
      endMs: game.endMs,
      window: undefined,
      game,
      model: decide(game, eventQuestions, tries),
      exclusive: eventQuestions.isExclusive,
      markets: eventQuestions.questions.map((question, index): MarketDraft => {
        return {
          id: String(firstId + index),
          slug: marketSlug(game, eventQuestions, question, index),
          question: question.text,
          groupItemTitle: question.title,
          outcomes: question.outcomes,
          resolvesMs: game.endMs + RESULT_MS + (salt % RESULT_SPREAD_MS) + (firstId % 16) * 2_000,
          feeRate: FEE_RATE,
          popularity: POPULARITY / (1 + number) / (1 + index * 0.3),
          sportsMarketType: question.type,
          line: question.line,
        }
      }),
    }
    return buildEvent(draft, onTokens)
  })
}

/** With the date: conditions are made from texts, and the same sides meet again. */
const describe = ({ title, league, slug }: Game): string =>
  `In the ${league.name} game ${title} of ${slug.slice(-10)}, this market resolves by the final score. ` +
  'If the game is postponed, this market stays open until it is played. If the game is canceled, ' +
  'this market resolves 50-50; of questions that exclude each other the last one wins.'

function marketSlug({ slug }: Game, asked: EventQuestions, question: Question, index: number): string {
  if (asked.suffix === '' && index === 0 && !asked.isExclusive) return slug
  const title = question.title
    .toLowerCase()
    .replaceAll('.', 'pt')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  // Two spreads may differ in their sides alone.
  return `${slug}${asked.suffix}-${title}${question.line === undefined ? '' : `-${index}`}`
}

/** What the tries lead to expect. */
function expect(tries: readonly Course[]): Expected {
  const mean = (value: (course: Course) => number) =>
    tries.reduce((sum, course) => sum + value(course), 0) / tries.length
  const margin = mean((course) => marginOf(course, 'home'))
  return {
    favourite: margin >= 0 ? 'home' : 'away',
    margin: Math.abs(margin),
    points: {
      home: mean((course) => pointsOf(course).home),
      away: mean((course) => pointsOf(course).away),
    },
  }
}

function decide(game: Game, { questions, isExclusive }: EventQuestions, tries: readonly Course[]): Model {
  const isCanceled = game.fate.kind === 'canceled'
  return {
    kind: 'game',
    exclusive: isExclusive,
    fromMs: game.startMs,
    priors: questions.map(({ settle }) => {
      const paid = tries.reduce((sum, course) => sum + settle(course), 0)
      return (paid + 0.5) / (tries.length + 1)
    }),
    truths: questions.map(({ settle }, index) =>
      isCanceled
        ? canceledPayouts(isExclusive, index === questions.length - 1)
        : toPayouts(settle(game.course)),
    ),
    decidedMs: questions.map(({ decidedMs }) =>
      isCanceled ? Number.POSITIVE_INFINITY : Math.min(decidedMs(game.course), endMs(game.course)),
    ),
  }
}

const toPayouts = (paid: number): Payouts => (paid === 1 ? [1, 0] : paid === 0 ? [0, 1] : [1, 1])

/** Half of each; where exactly one must come true it is the last: the draw, any other score. */
const canceledPayouts = (isExclusive: boolean, isLast: boolean): Payouts =>
  isExclusive ? (isLast ? [1, 0] : [0, 1]) : [1, 1]
