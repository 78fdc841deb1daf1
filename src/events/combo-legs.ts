import type { MarketLookup } from '../catalogue/market-info.js'
import { enrichToken } from './enrichment.js'
import type { Known } from './known.js'
import { readStructuredId, toTokenId } from './structured-id.js'

const MODULE_NAMES = [
  undefined,
  'BinaryModule',
  'NegRiskModule',
  'CombinatorialModule',
  'DirectionalModule',
]

export const moduleName = (moduleId: number): string | undefined => MODULE_NAMES[moduleId]

/** YES and NO are the two positions of every structured condition. */
export const sideOf = (token: string): 'YES' | 'NO' => (token.endsWith('00') ? 'YES' : 'NO')

/** What is known about a structured condition: its positions, and its legs if it is a combo. */
export type Combo = {
  conditionId: string
  yes: string
  no: string
  legIds: string[] | undefined
  legs: Leg[] | undefined
  /** The legs' conditions. */
  legConditionIds: string[]
}

/** `prepared`: legs that the transaction itself names. */
export function readCombo(
  conditionId: string,
  prepared: readonly string[] | undefined,
  known: Known,
): Combo {
  const yes = `${conditionId}00`
  const tokens = prepared ?? known.legsOf(yes)
  const legs = tokens?.map((token) => presentLeg(token, known.markets))
  return {
    conditionId,
    yes: toTokenId(yes),
    no: toTokenId(`${conditionId}01`),
    legIds: legs?.map((leg) => leg.position_id),
    legs,
    legConditionIds: legs?.flatMap((leg) => leg.condition_id ?? []) ?? [],
  }
}

type Leg = ReturnType<typeof presentLeg>

function presentLeg(token: string, markets: MarketLookup) {
  const id = readStructuredId(token)
  const { id: positionId, outcome, market } = enrichToken(markets, token)
  return {
    position_id: positionId,
    module_id: id?.moduleId,
    module_name: id === undefined ? undefined : moduleName(id.moduleId),
    condition_id: id?.conditionId,
    event_id: id?.eventId,
    arity: id?.arity,
    condition_index: id?.conditionIndex,
    outcome_index: id?.outcomeIndex,
    leg_outcome_label: outcome ?? (sideOf(token) === 'YES' ? 'Yes' : 'No'),
    market:
      market === undefined
        ? undefined
        : {
            title: market.market_title,
            slug: market.market_slug,
            image: market.market_image,
            event_title: market.event_title,
            event_slug: market.event_slug,
            outcomes: market.outcomes,
            token_ids: market.token_ids,
          },
  }
}
