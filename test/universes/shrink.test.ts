import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawPlan, type Plan } from './plan.js'
import { shrinkPlan } from './shrink.js'

test('the same seed draws the same plan, another seed another one', () => {
  expect(drawPlan(17, { stretchMs: 8_000 })).toEqual(drawPlan(17, { stretchMs: 8_000 }))
  expect(drawPlan(18, { stretchMs: 8_000 })).not.toEqual(drawPlan(17, { stretchMs: 8_000 }))
})

test('shrinking leaves exactly the steps that it takes to fail', async () => {
  const place = fc.nat({ max: 15 })
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(place, { minLength: 1, maxLength: 3 }), async (places) => {
      const steps = Array.from({ length: 16 }, (_, atMs) => ({ atMs, kind: 'reorg', pick: 0 }))
      const plan: Plan = { ...drawPlan(1, { stretchMs: 8_000 }), steps }
      const fails = async (tried: Plan) =>
        places.every((needed) => tried.steps.some(({ atMs }) => atMs === needed))
      const shrunk = await shrinkPlan(plan, fails)
      expect(shrunk.steps.map(({ atMs }) => atMs)).toEqual([...places].sort((a, b) => a - b))
    }),
  )
})
