import type { Combo, Market, Token } from '../universe/market.js'
import { otherOutcome } from '../universe/outcomes.js'
import type { Wallet } from '../universe/wallet.js'

/** What rows say about a token besides its id. Bets on several markets have no page, so no slugs and no picture. */
export type Names = {
  conditionId: string
  title: string
  slug: string
  icon: string
  eventId: string
  eventSlug: string
  outcome: string
  oppositeOutcome: string
  endDate: string
  negativeRisk: boolean
}

const COMBO_OUTCOMES = ['Yes', 'No'] as const

export function namesOf(token: Token): Names {
  const { of, outcome } = token
  const outcomes = marketOf(of)?.outcomes ?? COMBO_OUTCOMES
  return {
    ...describe(of),
    outcome: outcomes[outcome],
    oppositeOutcome: outcomes[otherOutcome(outcome)],
  }
}

/** Whether it is a bet on several outcomes, and not a market under another id. */
export const isBet = (of: Market | Combo): boolean => of.kind === 'combo' && of.legs.length > 1

export const oppositeOf = (token: Token): Token => token.of.tokens[otherOutcome(token.outcome)]

/** `undefined`: a bet on several markets. One whose shares migrated keeps its names under the new id. */
function marketOf(of: Market | Combo): Market | undefined {
  if (of.kind === 'market') return of
  return of.legs.length === 1 ? of.legs[0]?.market : undefined
}

function describe(of: Market | Combo): Omit<Names, 'outcome' | 'oppositeOutcome'> {
  const { conditionId } = of
  const market = marketOf(of)
  if (market === undefined) {
    const none = { slug: '', icon: '', eventId: '', eventSlug: '', negativeRisk: false }
    return { conditionId, title: of.question, ...none, endDate: showDate(of.resolvesMs) }
  }
  return {
    conditionId,
    title: market.question,
    slug: market.slug,
    icon: market.event.image,
    eventId: market.event.id,
    eventSlug: market.event.slug,
    endDate: showDate(market.endMs),
    negativeRisk: market.event.negRisk !== undefined,
  }
}

const showDate = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)

/** How rows show the person behind a wallet. */
export const profileOf = ({ name, pseudonym, bio, profileImage }: Wallet) => ({
  name,
  pseudonym,
  bio,
  profileImage,
  profileImageOptimized: '',
})
