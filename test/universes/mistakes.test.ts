import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { MISTAKES, spoilFile } from './mistakes.js'

const ROOT = resolve(import.meta.dirname, '../..')

test.each(MISTAKES)('the mistake still fits the code: $name', (mistake) => {
  expect(spoilFile(ROOT, mistake)).toContain(mistake.wrong)
})

test('there are ten at least, and all names differ', () => {
  expect(new Set(MISTAKES.map(({ name }) => name)).size).toBe(MISTAKES.length)
  expect(MISTAKES.length).toBeGreaterThanOrEqual(10)
})
