import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bisect } from './bisect.js'

class Refused extends Error {}
const isRefusal = (error: unknown) => error instanceof Refused

test('leaves out exactly the items that are refused, and keeps the order of the others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ id: fc.nat(), isBad: fc.boolean() })), async (items) => {
      const refused: typeof items = []
      const work = async (some: readonly (typeof items)[number][]) => {
        if (some.some(({ isBad }) => isBad)) throw new Refused()
        return [...some]
      }
      const done = await bisect(items, work, {
        isRefusal,
        onRefused: (item) => void refused.push(item),
      })
      expect(done.flat()).toEqual(items.filter(({ isBad }) => !isBad))
      expect(refused).toEqual(items.filter(({ isBad }) => isBad))
    }),
  )
})

test('any other error ends the run at once', async () => {
  let runs = 0
  const work = async () => {
    runs++
    throw new Error('no database')
  }
  const options = { isRefusal, onRefused: () => undefined }
  await expect(bisect([1, 2, 3], work, options)).rejects.toThrow('no database')
  expect(runs).toBe(1)
})
