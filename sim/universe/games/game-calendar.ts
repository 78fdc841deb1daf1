import { buildEvent, type OnTokens } from '../event-builder.js'
import type { MarketEvent, Series } from '../market.js'
import { hash32 } from '../random.js'
import { tagsBySlug } from '../tags.js'
import { buildGameEvents } from './game-events.js'
import { LEAGUES, leagueByCode } from './leagues.js'
import { type Fixture, fixturesOf, makeGame } from './schedule.js'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
/** Games are put up this long before they are played. */
const LEAD_MS = 3 * DAY_MS
const SPREAD_MS = 10 * MINUTE_MS
/** Games that end sooner than this after the beginning of the universe are left out. */
const LIFE_MS_MIN = 20 * MINUTE_MS
const FUTURE_ID = 899_000
const FUTURE_MARKET_ID = 8_999_000
const CHOICES = 6

type Parts = { seed: number; startMs: number; v1StartMs: number }

/** Which games come up when, a season's winner, and a game that was forgotten. */
export class GameCalendar {
  readonly series: readonly Series[]
  readonly #parts: Parts
  readonly #onTokens: OnTokens
  /** Built but not yet created, the next one last. */
  #planned: MarketEvent[]
  #nextDay: number

  constructor(parts: Parts, onTokens: OnTokens) {
    this.#parts = parts
    this.#onTokens = onTokens
    this.series = LEAGUES.flatMap(({ seriesId, code, name, tagSlugs }) =>
      seriesId === undefined
        ? []
        : [
            {
              id: seriesId,
              slug: `${code}-2026`,
              title: name,
              recurrence: 'daily',
              tags: tagsBySlug(tagSlugs),
              createdMs: parts.v1StartMs,
            },
          ],
    )
    // A game that was put off is played days after its date.
    this.#nextDay = Math.floor(parts.startMs / DAY_MS) - 1
    this.#planned = [this.#seasonWinner(), ...this.#forgottenGame()]
  }

  /** What comes up until that moment and was not returned before, in no order. */
  take(toMs: number): MarketEvent[] {
    for (; this.#nextDay * DAY_MS - LEAD_MS <= toMs; this.#nextDay++) {
      for (const fixture of fixturesOf(this.#parts.seed, this.#nextDay)) {
        this.#planned.push(...this.#build(fixture))
      }
    }
    const due = this.#planned.filter(({ createdMs }) => createdMs <= toMs)
    if (due.length > 0) {
      this.#planned = this.#planned.filter(({ createdMs }) => createdMs > toMs)
    }
    return due
  }

  #build(fixture: Fixture): MarketEvent[] {
    const { seed, startMs } = this.#parts
    const { game, announcedMs, ordinal } = fixture
    if (game.endMs < startMs + LIFE_MS_MIN) return []
    const spreadMs = hash32(seed, ordinal, 271) % SPREAD_MS
    const createdMs = Math.max(announcedMs - LEAD_MS, startMs) + spreadMs
    return buildGameEvents(seed, fixture, createdMs, this.#seriesOf(game.league), this.#onTokens)
  }

  #seriesOf({ seriesId }: { seriesId: string | undefined }): Series | undefined {
    return this.series.find(({ id }) => id === seriesId)
  }

  /** It stands in the series of the league and is no game. */
  #seasonWinner(): MarketEvent {
    const { seed, startMs } = this.#parts
    const league = leagueByCode('nba')
    const year = new Date(startMs).getUTCFullYear() + 1
    const teams = league.teams.toSorted((a, b) => b.strength - a.strength).slice(0, CHOICES)
    const winner = hash32(seed, year, 272) % (CHOICES + 1)
    const names = [...teams.map(({ name }) => name), 'Other']
    const slug = `nba-champion-${year}`
    return buildEvent(
      {
        id: String(FUTURE_ID),
        slug,
        title: `${year} NBA Champion`,
        description: 'This market resolves to the team that wins the championship.',
        category: 'Sports',
        resolutionSource: '',
        image: `https://polymarket-upload.s3.us-east-2.amazonaws.com/${slug}.png`,
        tags: tagsBySlug(['sports', 'nba', 'basketball']),
        series: this.#seriesOf(league),
        createdMs: startMs + MINUTE_MS,
        endMs: Date.UTC(year, 5, 20),
        window: undefined,
        model: {
          kind: 'opinion',
          exclusive: true,
          priors: names.map((_, index) => (index < CHOICES ? 0.2 - index * 0.025 : 0.175)),
          truths: names.map((_, index) => (index === winner ? [1, 0] : [0, 1])),
        },
        exclusive: true,
        markets: names.map((name, index) => ({
          id: String(FUTURE_MARKET_ID + index),
          slug: `${slug}-${name.toLowerCase()}`,
          question: `Will the ${name} win the ${year} NBA championship?`,
          groupItemTitle: name,
          outcomes: ['Yes', 'No'],
          resolvesMs: Date.UTC(year, 5, 20, 3),
          feeRate: 0,
          popularity: 6 / (1 + index),
        })),
      },
      this.#onTokens,
    )
  }

  /** Long over, and no result ever reached the chain: such events stay in the series of their league. */
  #forgottenGame(): MarketEvent[] {
    const { seed, v1StartMs } = this.#parts
    const league = leagueByCode('nba')
    const [home, away] = league.teams
    if (home === undefined || away === undefined) return []
    const announcedMs = v1StartMs + 20 * MINUTE_MS
    const ordinal = 0
    const game = makeGame({ seed, league, home, away, announcedMs, ordinal, fate: 'played' })
    const series = this.#seriesOf(league)
    const createdMs = v1StartMs + 3 * MINUTE_MS
    const [event] = buildGameEvents(seed, { game, ordinal }, createdMs, series, this.#onTokens)
    return event === undefined ? [] : [forget(event)]
  }
}

/** No answer ever reaches the chain. */
function forget(event: MarketEvent): MarketEvent {
  return Object.assign(event, {
    isForgotten: true,
    markets: event.markets.slice(0, 1).map((market) => {
      return Object.assign(market, { resolvesMs: event.endMs + 3_650 * DAY_MS })
    }),
  })
}
