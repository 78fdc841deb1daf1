import { afterAll, beforeAll, expect, test } from 'vitest'
import { refreshComboAggregates, refreshComboRanks } from '../../src/combos/aggregates.js'
import { type ApiWorld, openApiWorld } from '../api-world.js'
import { compareAnswers } from './compare/compare-answers.js'
import { type Model, readModel } from './model/read-model.js'

let world: ApiWorld
let model: Model
let url: string
beforeAll(async () => {
  world = await openApiWorld({
    historyMs: 10 * 60_000,
    intensity: 0.6,
    comboShare: 0.4,
    isLively: true,
    isWhole: true,
  })
  await refreshComboAggregates(world.ctx.sql, new AbortController().signal)
  await refreshComboRanks(world.ctx.sql)
  model = readModel(world.universe)
  url = await world.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => world.close())

const options = () => ({ url, key: world.key, model, sample: { count: 2, seed: 1 }, untilMs: 0 })

test('an undisturbed service answers everything as the model says', async () => {
  expect(await compareAnswers(options())).toEqual([])
})
