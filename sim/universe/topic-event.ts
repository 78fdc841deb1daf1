import { coinFacts } from './coins.js'
import { buildEvent, type EventDraft, type MarketDraft, type OnTokens } from './event-builder.js'
import type { MarketEvent, Model, Payouts, Series } from './market.js'
import type { Prices } from './prices.js'
import { hash32, unit } from './random.js'
import { tagsBySlug } from './tags.js'
import { fillIn, type Questions, type Topic } from './topics.js'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const EVENT_ID_BASE = 400_000
const MARKET_ID_BASE = 5_000_000
const QUESTIONS_MAX = 16
/** Proposals of an answer stand for two hours before they count. */
const LIVENESS_MS = 120 * MINUTE_MS
/** From the proposal of an answer to the transaction that makes it final. */
export const PROPOSAL_LEAD_MS = LIVENESS_MS + 30_000

/** One instance of a topic: the event that ends at `endMs`. `ordinal` sets it apart from all others. */
export function buildTopicEvent(
  { seed, prices }: { seed: number; prices: Prices },
  topic: Topic,
  times: { createdMs: number; endMs: number },
  ordinal: number,
  series: Series | undefined,
  onTokens: OnTokens,
): MarketEvent {
  const { createdMs, endMs } = times
  const slug = slugify(fillIn(topic.key, endMs))
  const title = fillIn(topic.title, endMs)
  const salt = hash32(seed, ordinal, endMs / 1000, 71)
  const model = decide(salt, topic.questions, prices, times)
  const titles = questionTitles(topic.questions, model)
  const proposedMs = endMs + 5 * MINUTE_MS + (salt % (25 * MINUTE_MS))
  const draft: EventDraft = {
    id: String(EVENT_ID_BASE + ordinal),
    slug,
    title,
    description: 'This market resolves according to the first official announcement of the result.',
    category: topic.category,
    resolutionSource: '',
    image: `https://polymarket-upload.s3.us-east-2.amazonaws.com/${slug}.png`,
    tags: tagsBySlug(topic.tags),
    series,
    createdMs,
    endMs,
    window: undefined,
    model,
    exclusive: topic.questions.kind !== 'single' && isExclusive(topic.questions),
    feeBips: topic.feeBips ?? 0,
    markets: titles.map((groupItemTitle, index): MarketDraft => {
      const alone = titles.length === 1
      return {
        id: String(MARKET_ID_BASE + ordinal * QUESTIONS_MAX + index),
        slug: alone ? slug : `${slug}-${slugify(groupItemTitle)}`,
        question: alone ? title : `${title.replace(/\?$/, '')}: ${groupItemTitle}?`,
        groupItemTitle,
        outcomes: ['Yes', 'No'],
        resolvesMs: proposedMs + PROPOSAL_LEAD_MS,
        feeRate: topic.feeRate,
        // The front runners of a group are traded most.
        popularity: topic.popularity / (1 + index * 0.6),
      }
    }),
  }
  return buildEvent(draft, onTokens)
}

const isExclusive = (questions: Questions): boolean =>
  questions.kind === 'exclusive' || (questions.kind === 'strikes' && questions.exclusive)

function decide(
  salt: number,
  questions: Questions,
  prices: Prices,
  { createdMs, endMs }: { createdMs: number; endMs: number },
): Model {
  switch (questions.kind) {
    case 'single': {
      const draw = questions.draws === (Math.floor(endMs / DAY_MS) % 2 === 0 ? 'even' : 'odd')
      const truth: Payouts = draw ? [1, 1] : unit(salt, 2) < questions.prior ? [1, 0] : [0, 1]
      return { kind: 'opinion', priors: [questions.prior], truths: [truth], exclusive: false }
    }
    case 'exclusive': {
      const priors = questions.choices.map(([, prior]) => prior)
      const winner = drawWinner(priors, unit(salt, 3))
      const truths = priors.map((_, index): Payouts => (index === winner ? [1, 0] : [0, 1]))
      return { kind: 'opinion', priors, truths, exclusive: true }
    }
    case 'strikes': {
      const { coin, steps, exclusive } = questions
      const priceE8 = prices.spotE8(coin, Math.floor(createdMs / 1000))
      const gridE8 = roundStep(coinFacts(coin).baseUsd) * 1e8
      const strikesE8 = steps.map((step) => Math.round((priceE8 * step) / gridE8) * gridE8)
      return { kind: 'strikes', coin, strikesE8, exclusive }
    }
  }
}

function drawWinner(priors: readonly number[], chance: number): number {
  let left = chance * priors.reduce((sum, prior) => sum + prior, 0)
  for (const [index, prior] of priors.entries()) {
    left -= prior
    if (left < 0) return index
  }
  return priors.length - 1
}

/** Strikes lie on round numbers about a percent apart: a thousand dollars for Bitcoin, one for Solana. */
const roundStep = (baseUsd: number): number => 10 ** Math.floor(Math.log10(baseUsd) - 1.5)

function questionTitles(questions: Questions, model: Model): string[] {
  if (questions.kind === 'single') return ['']
  if (questions.kind === 'exclusive') return questions.choices.map(([title]) => title)
  if (model.kind !== 'strikes') throw new TypeError('strikes make a model of strikes')
  const levels = model.strikesE8.map((level) => (level / 1e8).toLocaleString('en-US'))
  if (!model.exclusive) return levels
  const between = levels.slice(1).map((level, index) => `${levels[index]}-${level}`)
  return [`<${levels[0]}`, ...between, `>${levels.at(-1)}`]
}

const slugify = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('<', 'less-than-')
    .replaceAll('>', 'greater-than-')
    .replaceAll('+', '-plus')
    .replaceAll(',', '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
