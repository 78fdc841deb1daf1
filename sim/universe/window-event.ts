import { coinFacts } from './coins.js'
import { buildEvent, type EventDraft, type OnTokens } from './event-builder.js'
import type { Coin, MarketEvent, Series, Window } from './market.js'
import { hash32 } from './random.js'
import { windowTags } from './tags.js'
import { INTERVALS, windowOrdinal, windowSlug, windowSource, windowTitle } from './windows.js'

const DAY_MS = 86_400_000
const EVENT_ID_BASE = 10_000_000
const MARKET_ID_BASE = 20_000_000
const CRYPTO_FEE_RATE = 0.07
const CREATED_AFTER_MS = 10_000
const CREATED_SPREAD_MS = 60_000
const RESOLVED_AFTER_MS = 53_000
const RESOLVED_SPREAD_MS = 37_000
/**
 * In the present both are spread over five minutes, so that who looks on sees one within a minute or
 * two. The results of the two largest coins stay punctual.
 */
const PRESENT_SPREAD_MS = 280_000
const PUNCTUAL_COINS: readonly Coin[] = ['btc', 'eth']

type Times = { seed: number; startMs: number; presentMs?: number | undefined }

/**
 * When a window is put up: a day ahead. Windows of the first day cannot be older than the universe;
 * they come up one after the other in its first half hour.
 */
export function windowCreatedMs({ seed, startMs, presentMs }: Times, window: Window): number {
  const isPresent = window.startMs - DAY_MS >= (presentMs ?? Number.POSITIVE_INFINITY)
  const spreadMs = isPresent ? PRESENT_SPREAD_MS : CREATED_SPREAD_MS
  const delayMs = CREATED_AFTER_MS + (hash32(seed, windowOrdinal(window), 61) % spreadMs)
  const aheadMs = window.startMs - DAY_MS + delayMs
  const firstMs = startMs + Math.floor((window.startMs - startMs) / 40)
  return Math.max(aheadMs, firstMs)
}

/** When the result of a window is on the chain. */
function windowResolvesMs({ seed, presentMs }: Times, window: Window): number {
  const isPresent = window.endMs >= (presentMs ?? Number.POSITIVE_INFINITY)
  const isLate = isPresent && !PUNCTUAL_COINS.includes(window.coin)
  const spreadMs = isLate ? PRESENT_SPREAD_MS : RESOLVED_SPREAD_MS
  return window.endMs + RESOLVED_AFTER_MS + (hash32(seed, windowOrdinal(window), 62) % spreadMs)
}

export function buildWindowEvent(
  times: Times,
  window: Window,
  series: Series,
  createdMs: number,
  onTokens: OnTokens,
): MarketEvent {
  const { coin, interval, endMs } = window
  const facts = coinFacts(coin)
  const ordinal = windowOrdinal(window)
  const slug = windowSlug(window)
  const title = windowTitle(window)
  const intervalPopularity = INTERVALS.find((entry) => entry.interval === interval)?.popularity ?? 0
  const draft: EventDraft = {
    id: String(EVENT_ID_BASE + ordinal),
    slug,
    title,
    description: describeWindow(window),
    category: 'Crypto',
    resolutionSource: windowSource(window),
    image: `https://polymarket-upload.s3.us-east-2.amazonaws.com/${facts.symbol}+fullsize.png`,
    tags: windowTags(coin, interval),
    series,
    createdMs,
    endMs,
    window,
    model: { kind: 'window' },
    exclusive: false,
    markets: [
      {
        id: String(MARKET_ID_BASE + ordinal),
        slug,
        question: title,
        groupItemTitle: '',
        outcomes: ['Up', 'Down'],
        resolvesMs: windowResolvesMs(times, window),
        feeRate: CRYPTO_FEE_RATE,
        popularity: facts.popularity * intervalPopularity,
      },
    ],
  }
  return buildEvent(draft, onTokens)
}

const descriptions = new Map<string, string>()

/** The same text for all windows of a series, kept once. */
function describeWindow(window: Window): string {
  const source = windowSource(window)
  let description = descriptions.get(source)
  if (description === undefined) {
    description =
      `This market resolves to "Up" if the price of ${coinFacts(window.coin).name} at the end of the ` +
      'time range is greater than or equal to the price at its beginning. Otherwise it resolves to ' +
      `"Down". The source is ${source}.`
    descriptions.set(source, description)
  }
  return description
}
