import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from 'viem'
import { expect, test } from 'vitest'
import { questionIdOf } from './question-id.js'

type Vector = { name: string; ancillary_data_utf8?: string; question_id: string }

const VECTORS: { question_ids: Vector[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/chain-vectors.json'), 'utf8'),
)

test('the hash of the ancillary data is the id of the question', () => {
  const published = VECTORS.question_ids.filter((each) => each.ancillary_data_utf8 !== undefined)
  expect(published).toHaveLength(1)
  for (const { ancillary_data_utf8 = '', question_id } of published)
    expect(questionIdOf(toHex(ancillary_data_utf8))).toBe(question_id)
})
