import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../api-world.js'
import { compareAnswers } from './compare/compare-answers.js'
import { type Model, readModel } from './model/read-model.js'

let world: ApiWorld
let model: Model
let url: string
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 10 * 60_000, intensity: 1, comboShare: 0.15, isWhole: true })
  model = readModel(world.universe)
  url = await world.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => world.close())

test('an undisturbed service answers everything as the model says', async () => {
  expect(await compareAnswers({ url, key: world.key, model, sample: { count: 2, seed: 1 } })).toEqual([])
})
