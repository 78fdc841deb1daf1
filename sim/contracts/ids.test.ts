import { describe, expect, test } from 'vitest'
import vectors from './fixtures/chain-vectors.json' with { type: 'json' }
import {
  collectionId,
  conditionIdOf,
  negRiskConditionIdOf,
  negRiskMarketIdOf,
  negRiskQuestionIdOf,
  positionIdOf,
  questionIdOf,
  tokenIdsOf,
  withInitializer,
} from './ids.js'

describe.each(vectors.position_ids)('$name', (vector) => {
  const { condition_id, collateral, token_ids_hex, collection_ids } = vector

  test('collections', () => {
    const condition = condition_id.slice(2)
    expect([collectionId(condition, 1), collectionId(condition, 2)].map(hex)).toEqual(collection_ids)
  })

  test('tokens', () => {
    const address = collateral.toLowerCase()
    const ids = [positionIdOf(address, condition_id, 1), positionIdOf(address, condition_id, 2)]
    expect(ids.map(hex)).toEqual(token_ids_hex)
  })
})

const asked = vectors.position_ids.filter((vector) => vector.question_id !== undefined)

test.each(asked)('condition of $name', ({ oracle = '', question_id = '', condition_id }) => {
  expect(conditionIdOf(oracle.toLowerCase(), question_id)).toBe(condition_id)
})

test.each(vectors.neg_risk_ids)('question $question_index of $neg_risk_market_id', (vector) => {
  const { neg_risk_market_id, question_index } = vector
  expect(negRiskQuestionIdOf(neg_risk_market_id, question_index)).toBe(vector.question_id)
  const condition = negRiskConditionIdOf(neg_risk_market_id, question_index)
  expect(condition).toBe(vector.condition_id)
  expect(tokenIdsOf(condition, true).map((id) => BigInt(hex(id)).toString())).toEqual(vector.token_ids)
})

test.each(vectors.question_ids)('$name', (vector) => {
  if (vector.ancillary_data_utf8 !== undefined) {
    expect(questionIdOf(vector.ancillary_data_utf8)).toBe(vector.question_id)
    expect(conditionIdOf(vector.oracle.toLowerCase(), vector.question_id)).toBe(vector.condition_id)
  }
  for (const [oracle, condition] of Object.entries(vector.condition_ids ?? {})) {
    expect(conditionIdOf(oracle.toLowerCase(), vector.question_id)).toBe(condition)
  }
})

test('the initializer ends the text', () => {
  expect(withInitializer('q: title: A?', '0x91430cad2d3975766499717fa0d66a78d814e5c5')).toBe(
    'q: title: A?,initializer:91430cad2d3975766499717fa0d66a78d814e5c5',
  )
})

test('the id of a neg-risk market leaves its last byte to the questions', () => {
  const id = negRiskMarketIdOf('0x71523d0f655b41e805cec45b17163f528b59b820', 50, 'title: x')
  expect(id).toMatch(/^0x[0-9a-f]{62}00$/)
  expect(negRiskQuestionIdOf(id, 12)).toBe(`${id.slice(0, 64)}0c`)
})

function hex(word: string): `0x${string}` {
  return `0x${word}`
}
