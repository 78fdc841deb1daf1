import type { Combo, Market, Token } from '../universe/market.js'
import { otherOutcome } from '../universe/outcomes.js'
import type { Wallet } from '../universe/wallet.js'

/** What rows say about a token besides its id. Combos have no page, so no slugs and no picture. */
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
  const outcomes = of.kind === 'market' ? of.outcomes : COMBO_OUTCOMES
  return {
    ...describe(of),
    outcome: outcomes[outcome],
    oppositeOutcome: outcomes[otherOutcome(outcome)],
  }
}

/** Whether it is a bet on several outcomes, and not a market under another id. */
export const isBet = (of: Market | Combo): boolean => of.kind === 'combo' && of.legs.length > 1

export const oppositeOf = (token: Token): Token => token.of.tokens[otherOutcome(token.outcome)]

function describe(of: Market | Combo): Omit<Names, 'outcome' | 'oppositeOutcome'> {
  const { conditionId, question: title } = of
  if (of.kind === 'combo') {
    const none = { slug: '', icon: '', eventId: '', eventSlug: '', negativeRisk: false }
    return { conditionId, title, ...none, endDate: showDate(of.resolvesMs) }
  }
  return {
    conditionId,
    title,
    slug: of.slug,
    icon: of.event.image,
    eventId: of.event.id,
    eventSlug: of.event.slug,
    endDate: showDate(of.endMs),
    negativeRisk: of.event.negRisk !== undefined,
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
