import type { Model } from '../model/read-model.js'
import type { ModelResult } from '../model/results.js'
import type { Row } from './comparison.js'

/** The condition of a token, as answers have it; the ids of structured ones lack their last byte. */
export function conditionOf({ tokens }: Model, token: string): string {
  const of = tokens.get(token)?.of
  if (of === undefined) throw new Error(`no act names the token ${token}`)
  return of.kind === 'market' ? of.conditionId : `${of.conditionId}00`
}

/** `undefined`: the condition of the token has no result. */
export const resultOf = (model: Model, token: string): ModelResult | undefined =>
  model.results.get(conditionOf(model, token))

/** Combos are listed apart from markets, also from those whose shares have migrated. */
export function isCombo({ tokens }: Model, token: string): boolean {
  const of = tokens.get(token)?.of
  return of?.kind === 'combo' && of.legs.length > 1
}

/** What the chain alone says of a token. */
export const marketFields = (model: Model, token: string): Row => ({
  condition_id: conditionOf(model, token),
  outcome_index: model.tokens.get(token)?.outcome,
})
