import { expect, test } from 'vitest'
import vectors from './fixtures/chain-vectors.json' with { type: 'json' }
import {
  binaryConditionOf,
  comboConditionOf,
  negRiskConditionOf,
  structuredPositionId,
} from './structured-ids.js'

const [combo, , binary, negRisk] = vectors.structured_ids

test('the order of its legs does not change the id of a combo', () => {
  const legs = (combo?.legs ?? []).map(BigInt)
  expect(comboConditionOf(legs)).toBe(combo?.combo_condition_id)
  expect(comboConditionOf(legs.toReversed())).toBe(combo?.combo_condition_id)
  expect(positions(comboConditionOf(legs))).toEqual(combo?.position_ids)
})

test('a legacy condition migrates into a binary one', () => {
  const condition = binaryConditionOf(binary?.legacy_condition_id ?? '')
  expect(condition).toBe(binary?.condition_id_bytes31)
  expect(positions(condition)).toEqual(binary?.position_ids)
})

test('a neg-risk question keeps its index and the number of questions', () => {
  const condition = negRiskConditionOf(negRisk?.legacy_market_id ?? '', 8, 7)
  expect(condition).toBe(negRisk?.condition_id_bytes31)
  expect(positions(condition)).toEqual(negRisk?.position_ids)
})

function positions(condition: string): string[] {
  return [structuredPositionId(condition, 0), structuredPositionId(condition, 1)].map(String)
}
