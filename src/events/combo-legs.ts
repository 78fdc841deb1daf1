import { Type } from 'typebox'
import type { ComboKeys } from '../bus/event.js'
import { padId, parseStructuredId, sideOf } from '../core/structured-id.js'
import type { Enricher } from './enrichment.js'
import { closedRow, described, optional, Wire } from './message.js'

/** By module id, from 1 on. */
const MODULES = ['BinaryModule', 'NegRiskModule', 'CombinatorialModule', 'DirectionalModule']

export const moduleName = (moduleId: number): string | undefined => MODULES[moduleId - 1]

export type Combo = ReturnType<typeof enrichCombo>

/**
 * A structured condition: its positions, and its legs if it is a combo whose legs are known.
 * `prepared`: legs that the transaction itself names.
 */
export function enrichCombo(
  conditionId: string,
  prepared: readonly string[] | undefined,
  enricher: Enricher,
) {
  const yes = `${conditionId}00`
  const tokens = prepared ?? enricher.legsOf(yes)
  const legs = tokens?.map((token) => presentLeg(token, enricher))
  return {
    conditionId,
    yes: enricher.tokenId(yes),
    no: enricher.tokenId(`${conditionId}01`),
    legIds: legs?.map((leg) => leg.position_id),
    legs,
    legConditionIds: legs?.flatMap((leg) => leg.condition_id ?? []) ?? [],
    eventIds: legs?.flatMap((leg) => leg.event_id ?? []) ?? [],
    moduleIds: legs?.flatMap((leg) => leg.module_id ?? []) ?? [],
  }
}

/** What filters compare: a combo is found by itself and by its legs. */
export function comboKeys(combo: Combo): ComboKeys {
  const own = parseStructuredId(padId(combo.conditionId))
  return {
    conditionId: padId(combo.conditionId),
    legPositionIds: combo.legIds ?? [],
    eventIds: [...new Set([...(own ? [own.eventId] : []), ...combo.eventIds])],
    moduleIds: [...new Set([...(own ? [own.moduleId] : []), ...combo.moduleIds])],
  }
}

export const LEG = closedRow('ComboLeg', {
  position_id: Wire.TokenId,
  leg_outcome_label: Type.String(),
  ...optional({
    module_id: Wire.Count,
    module_name: Wire.Text,
    condition_id: described(Wire.ConditionId, '31 bytes'),
    event_id: described(Wire.Text, '29 bytes'),
    arity: Wire.Count,
    condition_index: Wire.Count,
    outcome_index: Wire.Count,
    market: closedRow('ComboLegMarket', {
      title: Type.String(),
      slug: Type.String(),
      ...optional({ image: Wire.Text, event_title: Wire.Text, event_slug: Wire.Text }),
      outcomes: Type.Array(Type.String()),
      token_ids: Type.Array(Wire.TokenId),
    }),
  }),
})

function presentLeg(token: string, enricher: Enricher) {
  const id = parseStructuredId(token)
  const { id: positionId, outcome, market } = enricher.token(token)
  return {
    position_id: positionId,
    module_id: id?.moduleId,
    module_name: id && moduleName(id.moduleId),
    condition_id: id?.conditionId,
    event_id: id?.eventId,
    arity: id?.arity,
    condition_index: id?.conditionIndex,
    outcome_index: id?.outcomeIndex,
    leg_outcome_label: outcome ?? (sideOf(token) === 'YES' ? 'Yes' : 'No'),
    market: market && {
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
