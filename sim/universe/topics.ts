import type { Coin } from './market.js'
import { monthName } from './windows.js'

/** When a topic is decided, in UTC: once, or on certain days. */
export type Schedule = { hour: number; on: (date: Date) => boolean; leadDays: number }

/**
 * A recurring or single matter that people bet on. `{date}`, `{month}` and `{year}` in texts are those
 * of the end. Priors of an exclusive topic sum to about one; `strikes` are relative to the coin's price
 * when the event is created.
 */
export type Topic = {
  key: string
  title: string
  category: string
  tags: readonly string[]
  series: string | undefined
  schedule: Schedule
  popularity: number
  feeRate: number
  questions: Questions
}

export type Questions =
  | { kind: 'single'; prior: number; draws?: boolean }
  | { kind: 'exclusive'; choices: readonly (readonly [title: string, prior: number])[] }
  | { kind: 'strikes'; coin: Coin; steps: readonly number[]; exclusive: boolean }

const everyDay = (hour: number, leadDays: number): Schedule => ({ hour, on: () => true, leadDays })
const everyWeek = (weekday: number, hour: number, leadDays: number): Schedule => ({
  hour,
  on: (date) => date.getUTCDay() === weekday,
  leadDays,
})
const everyMonth = (day: number, hour: number, leadDays: number): Schedule => ({
  hour,
  on: (date) => date.getUTCDate() === day,
  leadDays,
})
/** So long before that the V1 era traded it already. */
const once = (year: number, month: number, day: number): Schedule => ({
  hour: 12,
  on: (date) =>
    date.getUTCFullYear() === year && date.getUTCMonth() === month && date.getUTCDate() === day,
  leadDays: 2_000,
})

/** Fills in the date on which an instance ends. */
export function fillIn(text: string, endMs: number): string {
  const date = new Date(endMs)
  const month = monthName(date.getUTCMonth())
  return text
    .replaceAll('{date}', `${month} ${date.getUTCDate()}`)
    .replaceAll('{month}', month)
    .replaceAll('{year}', String(date.getUTCFullYear()))
}

/** The ends of a topic's instances within a stretch of time. */
export function endsWithin({ schedule }: Topic, fromMs: number, toMs: number): number[] {
  const ends: number[] = []
  const firstDay = Math.floor(fromMs / 86_400_000)
  for (let day = firstDay; day * 86_400_000 <= toMs; day++) {
    const endMs = day * 86_400_000 + schedule.hour * 3_600_000
    if (endMs > fromMs && endMs <= toMs && schedule.on(new Date(endMs))) ends.push(endMs)
  }
  return ends
}

export const TOPICS: readonly Topic[] = [
  {
    key: 'democratic-presidential-nominee-2028',
    title: 'Democratic Presidential Nominee 2028',
    category: 'Politics',
    tags: ['politics', 'elections'],
    series: undefined,
    schedule: once(2028, 7, 20),
    popularity: 60,
    feeRate: 0,
    questions: {
      kind: 'exclusive',
      choices: [
        ['Avery Whitfield', 0.31],
        ['Jordan Castellano', 0.18],
        ['Morgan Adeyemi', 0.14],
        ['Riley Thornquist', 0.1],
        ['Casey Okonkwo', 0.08],
        ['Quinn Lindqvist', 0.07],
        ['Harper Vasquez', 0.06],
        ['Other', 0.06],
      ],
    },
  },
  {
    key: 'republican-presidential-nominee-2028',
    title: 'Republican Presidential Nominee 2028',
    category: 'Politics',
    tags: ['politics', 'elections'],
    series: undefined,
    schedule: once(2028, 6, 16),
    popularity: 45,
    feeRate: 0,
    questions: {
      kind: 'exclusive',
      choices: [
        ['Dana Hollister', 0.44],
        ['Spencer Blackwood', 0.2],
        ['Reese Marchetti', 0.13],
        ['Parker Nakamura', 0.12],
        ['Other', 0.11],
      ],
    },
  },
  {
    key: 'presidential-election-winner-2028',
    title: 'Presidential Election Winner 2028',
    category: 'Politics',
    tags: ['politics', 'elections'],
    series: undefined,
    schedule: once(2028, 10, 7),
    popularity: 80,
    feeRate: 0,
    questions: {
      kind: 'exclusive',
      choices: [
        ['Democratic', 0.53],
        ['Republican', 0.44],
        ['Independent', 0.03],
      ],
    },
  },
  {
    key: 'will-the-moon-base-treaty-be-signed-by-2027',
    title: 'Will the Moon base treaty be signed by June 30, 2027?',
    category: 'World',
    tags: ['world', 'science'],
    series: undefined,
    schedule: once(2027, 5, 30),
    popularity: 14,
    feeRate: 0,
    questions: { kind: 'single', prior: 0.22 },
  },
  {
    key: 'will-a-quantum-computer-factor-a-64-bit-number-in-2027',
    title: 'Will a quantum computer factor a 64-bit number in 2027?',
    category: 'Tech',
    tags: ['tech', 'science'],
    series: undefined,
    schedule: once(2027, 11, 31),
    popularity: 10,
    feeRate: 0.04,
    questions: { kind: 'single', prior: 0.35 },
  },
  {
    key: 'presidential-approval-on-{date}',
    title: 'Presidential approval rating on {date}?',
    category: 'Politics',
    tags: ['politics', 'polls'],
    series: 'presidential-approval-weekly',
    schedule: everyWeek(5, 16, 8),
    popularity: 25,
    feeRate: 0,
    questions: {
      kind: 'exclusive',
      choices: [
        ['<40.0', 0.08],
        ['40.0-40.9', 0.2],
        ['41.0-41.9', 0.34],
        ['42.0-42.9', 0.25],
        ['43.0+', 0.13],
      ],
    },
  },
  {
    key: 'will-the-senate-vote-on-the-budget-on-{date}',
    title: 'Will the Senate vote on the budget on {date}?',
    category: 'Politics',
    tags: ['politics', 'congress'],
    series: 'senate-budget-daily',
    schedule: everyDay(22, 3),
    popularity: 12,
    feeRate: 0.04,
    questions: { kind: 'single', prior: 0.28 },
  },
  {
    key: 'highest-temperature-in-london-on-{date}',
    title: 'Highest temperature in London on {date}?',
    category: 'Weather',
    tags: ['weather', 'daily-temperature'],
    series: 'london-daily-weather',
    schedule: everyDay(18, 3),
    popularity: 30,
    feeRate: 0.05,
    questions: {
      kind: 'exclusive',
      choices: [
        ['8°C or below', 0.08],
        ['9°C', 0.17],
        ['10°C', 0.28],
        ['11°C', 0.24],
        ['12°C', 0.14],
        ['13°C or higher', 0.09],
      ],
    },
  },
  {
    key: 'highest-temperature-in-nyc-on-{date}',
    title: 'Highest temperature in NYC on {date}?',
    category: 'Weather',
    tags: ['weather', 'daily-temperature'],
    series: 'nyc-daily-weather',
    schedule: everyDay(23, 3),
    popularity: 24,
    feeRate: 0.05,
    questions: {
      kind: 'exclusive',
      choices: [
        ['45°F or below', 0.1],
        ['46-47°F', 0.18],
        ['48-49°F', 0.3],
        ['50-51°F', 0.24],
        ['52°F or higher', 0.18],
      ],
    },
  },
  {
    key: 'top-movie-on-the-weekend-of-{date}',
    title: '#1 movie at the box office on the weekend of {date}?',
    category: 'Culture',
    tags: ['culture', 'movies'],
    series: 'box-office-weekly',
    schedule: everyWeek(0, 20, 7),
    popularity: 16,
    feeRate: 0.04,
    questions: {
      kind: 'exclusive',
      choices: [
        ['The Lantern Keepers', 0.46],
        ['Salt Road', 0.27],
        ['Night Ferry 2', 0.18],
        ['Other', 0.09],
      ],
    },
  },
  {
    key: 'how-many-posts-will-the-mayor-make-by-{date}',
    title: 'How many posts will the mayor of Larkhaven make by {date}?',
    category: 'Culture',
    tags: ['culture', 'mentions'],
    series: 'mayor-posts-weekly',
    schedule: everyWeek(2, 16, 7),
    popularity: 22,
    feeRate: 0.04,
    questions: {
      kind: 'exclusive',
      choices: [
        ['<40', 0.12],
        ['40-59', 0.22],
        ['60-79', 0.31],
        ['80-99', 0.2],
        ['100+', 0.15],
      ],
    },
  },
  {
    key: 'will-the-host-say-inflation-on-{date}',
    title: 'Will the host say "inflation" during the evening show on {date}?',
    category: 'Mentions',
    tags: ['culture', 'mentions'],
    series: 'evening-show-daily',
    schedule: everyDay(2, 2),
    popularity: 10,
    feeRate: 0.04,
    questions: { kind: 'single', prior: 0.58, draws: true },
  },
  {
    key: 'fed-decision-in-{month}-{year}',
    title: 'Fed decision in {month}?',
    category: 'Economy',
    tags: ['economy', 'fed-rates'],
    series: 'fed-decisions',
    schedule: everyMonth(16, 19, 60),
    popularity: 50,
    feeRate: 0.04,
    questions: {
      kind: 'exclusive',
      choices: [
        ['50+ bps decrease', 0.04],
        ['25 bps decrease', 0.41],
        ['No change', 0.51],
        ['25+ bps increase', 0.04],
      ],
    },
  },
  {
    key: 'us-annual-inflation-{month}-{year}',
    title: '{month} inflation, annual?',
    category: 'Economy',
    tags: ['economy', 'inflation'],
    series: 'inflation-monthly',
    schedule: everyMonth(18, 13, 40),
    popularity: 18,
    feeRate: 0.04,
    questions: {
      kind: 'exclusive',
      choices: [
        ['2.6% or less', 0.16],
        ['2.7%', 0.26],
        ['2.8%', 0.31],
        ['2.9% or more', 0.27],
      ],
    },
  },
  {
    key: 'largest-company-end-of-{month}-{year}',
    title: 'Largest company at the end of {month}?',
    category: 'Finance',
    tags: ['finance', 'stocks'],
    series: 'largest-company-monthly',
    schedule: everyMonth(28, 21, 45),
    popularity: 20,
    feeRate: 0.04,
    questions: {
      kind: 'exclusive',
      choices: [
        ['Northwind Chips', 0.62],
        ['Orchard', 0.2],
        ['Redmont Software', 0.14],
        ['Other', 0.04],
      ],
    },
  },
  {
    key: 'broad-index-up-on-{date}-{year}',
    title: 'Will the broad stock index close up on {date}?',
    category: 'Finance',
    tags: ['finance', 'stocks'],
    series: 'broad-index-daily',
    schedule: everyDay(21, 2),
    popularity: 20,
    feeRate: 0.04,
    questions: { kind: 'single', prior: 0.54, draws: true },
  },
  {
    key: 'best-ai-model-end-of-{month}-{year}',
    title: 'Which company has the best AI model at the end of {month}?',
    category: 'Tech',
    tags: ['tech', 'ai'],
    series: 'best-ai-model-monthly',
    schedule: everyMonth(27, 17, 45),
    popularity: 35,
    feeRate: 0.04,
    questions: {
      kind: 'exclusive',
      choices: [
        ['Company A', 0.42],
        ['Company B', 0.33],
        ['Company C', 0.16],
        ['Other', 0.09],
      ],
    },
  },
  {
    key: 'bitcoin-above-on-{date}',
    title: 'Bitcoin above ___ on {date}?',
    category: 'Crypto',
    tags: ['crypto', 'bitcoin', 'multi-strikes'],
    series: 'btc-multi-strikes-daily',
    schedule: everyDay(17, 4),
    popularity: 40,
    feeRate: 0.07,
    questions: {
      kind: 'strikes',
      coin: 'btc',
      steps: [0.92, 0.94, 0.96, 0.98, 1, 1.02, 1.04, 1.06, 1.08],
      exclusive: false,
    },
  },
  {
    key: 'bitcoin-multi-strikes-weekly-{date}',
    title: 'Bitcoin above ___ this week, on {date}?',
    category: 'Crypto',
    tags: ['crypto', 'bitcoin', 'multi-strikes'],
    series: 'btc-multi-strikes-weekly',
    schedule: everyWeek(1, 17, 9),
    popularity: 16,
    feeRate: 0.07,
    questions: {
      kind: 'strikes',
      coin: 'btc',
      steps: [0.88, 0.92, 0.96, 1, 1.04, 1.08, 1.12],
      exclusive: false,
    },
  },
  {
    key: 'ethereum-price-on-{date}',
    title: 'Ethereum price on {date}?',
    category: 'Crypto',
    tags: ['crypto', 'ethereum'],
    series: 'ethereum-neg-risk-weekly',
    schedule: everyWeek(6, 16, 8),
    popularity: 18,
    feeRate: 0.07,
    questions: {
      kind: 'strikes',
      coin: 'eth',
      steps: [0.92, 0.96, 1, 1.04, 1.08],
      exclusive: true,
    },
  },
  {
    key: 'solana-price-on-{date}',
    title: 'Solana price on {date}?',
    category: 'Crypto',
    tags: ['crypto', 'solana'],
    series: 'solana-neg-risk-weekly',
    schedule: everyWeek(0, 16, 8),
    popularity: 12,
    feeRate: 0.07,
    questions: { kind: 'strikes', coin: 'sol', steps: [0.9, 0.95, 1, 1.05, 1.1], exclusive: true },
  },
]
