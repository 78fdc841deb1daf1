import { ADDRESS } from '../contracts/addresses.js'
import {
  conditionIdOf,
  negRiskMarketIdOf,
  negRiskQuestionIdOf,
  questionIdOf,
  tokenIdsOf,
  withInitializer,
} from '../contracts/ids.js'
import { word } from '../contracts/words.js'
import type { Market, MarketEvent, NegRisk, Outcome, Token, TokenPair } from './market.js'

/** What a builder of events decides; ids, addresses and tokens follow. */
export type EventDraft = Omit<MarketEvent, 'markets' | 'negRisk'> & {
  /** The questions exclude each other, so positions in them convert into each other. */
  exclusive: boolean
  /** What conversions between them cost, in basis points; nothing when absent. */
  feeBips?: number
  markets: readonly MarketDraft[]
}

export type MarketDraft = Pick<
  Market,
  | 'id'
  | 'slug'
  | 'question'
  | 'groupItemTitle'
  | 'outcomes'
  | 'resolvesMs'
  | 'feeRate'
  | 'popularity'
  | 'sportsMarketType'
  | 'line'
>

/** Called with the tokens of a market when they are derived. */
export type OnTokens = (tokens: TokenPair) => void

export function buildEvent(
  { exclusive, feeBips = 0, markets, ...draft }: EventDraft,
  onTokens: OnTokens,
): MarketEvent {
  const event: Omit<MarketEvent, 'markets'> & { markets: Market[] } = {
    ...draft,
    negRisk: exclusive ? negRiskOf(draft.slug, feeBips) : undefined,
    markets: [],
  }
  markets.forEach((market, index) => {
    event.markets.push(new BuiltMarket(event, market, index, onTokens))
  })
  return event
}

function negRiskOf(slug: string, feeBips: number): NegRisk {
  const metadata = `title: ${slug}`
  return {
    marketId: negRiskMarketIdOf(ADDRESS.negRiskOperator, feeBips, metadata),
    feeBips,
    metadata,
  }
}

/** A class for its getters: there are thousands, and the texts and token ids of most are never asked for. */
class BuiltMarket implements Market {
  readonly kind = 'market'
  readonly id: string
  readonly slug: string
  readonly question: string
  readonly groupItemTitle: string
  readonly outcomes: readonly [string, string]
  readonly event: MarketEvent
  readonly index: number
  readonly conditionId: string
  readonly questionId: string
  readonly requestId: string
  readonly oracle: string
  readonly resolvesMs: number
  readonly feeRate: number
  readonly popularity: number
  readonly sportsMarketType: string | undefined
  readonly line: number | undefined
  readonly #onTokens: OnTokens
  #tokens: TokenPair | undefined

  constructor(event: MarketEvent, draft: MarketDraft, index: number, onTokens: OnTokens) {
    this.#onTokens = onTokens
    this.id = draft.id
    this.slug = draft.slug
    this.question = draft.question
    this.groupItemTitle = draft.groupItemTitle
    this.outcomes = draft.outcomes
    this.event = event
    this.index = index
    this.resolvesMs = draft.resolvesMs
    this.feeRate = draft.feeRate
    this.popularity = draft.popularity
    this.sportsMarketType = draft.sportsMarketType
    this.line = draft.line
    const { negRisk } = event
    this.requestId = questionIdOf(this.ancillaryData)
    this.questionId = negRisk === undefined ? this.requestId : negRiskQuestionIdOf(negRisk.marketId, index)
    this.oracle = negRisk === undefined ? ADDRESS.umaAdapterV4 : ADDRESS.negRiskAdapter
    this.conditionId = conditionIdOf(this.oracle, this.questionId)
  }

  get createdMs(): number {
    return this.event.createdMs
  }

  get endMs(): number {
    return this.event.endMs
  }

  get description(): string {
    return this.event.description
  }

  get ancillaryData(): string {
    return describeQuestion(this)
  }

  get tokens(): TokenPair {
    if (this.#tokens === undefined) {
      this.#tokens = deriveTokens(this)
      this.#onTokens(this.#tokens)
    }
    return this.#tokens
  }
}

/** The text that the oracle is asked, in the form that the contracts prescribe. */
function describeQuestion({ question, description, outcomes }: Market): string {
  const text =
    `q: title: ${question}, description: ${description} ` +
    `res_data: p1: 0, p2: 1, p3: 0.5. Where p1 corresponds to ${outcomes[1]}, p2 to ${outcomes[0]}, ` +
    'p3 to unknown/50-50.'
  return withInitializer(text, ADDRESS.questionCreator)
}

function deriveTokens(market: Market): TokenPair {
  const [first, second] = tokenIdsOf(market.conditionId, market.event.negRisk !== undefined)
  return [makeToken(market, 0, BigInt(`0x${first}`)), makeToken(market, 1, BigInt(`0x${second}`))]
}

export const makeToken = (of: Token['of'], outcome: Outcome, id: bigint): Token => ({
  id,
  decimal: id.toString(),
  word: word(id),
  outcome,
  of,
})
