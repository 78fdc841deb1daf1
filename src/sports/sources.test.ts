import { describe, expect, test } from 'vitest'
import { notFound } from '../core/errors.js'
import { pause } from '../lib/timing.js'
import { readFirst, type SportsSource } from './sources.js'

const caller = { accountId: 1 }
const never = (call: { signal?: AbortSignal | undefined }) =>
  pause(60_000, call.signal).then(() => Promise.reject(new Error('ended')))

const SOURCES = {
  good: { name: 'good', read: async () => [7] },
  empty: { name: 'empty', read: async () => [] },
  empty2: { name: 'empty2', read: async () => [] },
  down: { name: 'down', read: () => Promise.reject(new Error('down')) },
} satisfies Record<string, SportsSource<number[]>>

const hasSome = (values: number[]) => values.length > 0
const read = (...names: (keyof typeof SOURCES)[]) =>
  readFirst<number[]>(
    { caller },
    names.map((name) => SOURCES[name]),
    hasSome,
  )

describe('readFirst', () => {
  test.each<[(keyof typeof SOURCES)[], string, boolean, boolean]>([
    [['good', 'down'], 'good', false, false],
    [['down', 'good'], 'good', true, false],
    [['empty', 'good'], 'good', true, false],
    [['down', 'empty', 'down', 'good'], 'good', true, false],
    [['empty', 'empty2'], 'empty', false, false],
    [['down', 'empty', 'empty2'], 'empty', true, true],
    [['empty', 'down'], 'empty', false, true],
  ])('of %j it answers from %s', async (names, source, isFallback, isDoubtful) => {
    const answer = await read(...names)
    expect(answer).toMatchObject({ source, isFallback })
    expect(answer.isDoubtful ?? false).toBe(isDoubtful)
  })

  test('throws what the last source threw when all fail', async () => {
    await expect(read('down', 'down')).rejects.toThrow('down')
  })

  test('an ApiError is an answer: no further source is read', async () => {
    const absent = { name: 'absent', read: () => Promise.reject(notFound('no such league')) }
    await expect(readFirst<number[]>({ caller }, [absent, SOURCES.good])).rejects.toThrow('no such league')
  })

  test('a slow source gets company, and its call ends when the answer is there', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const slow: SportsSource<number[]> = {
      name: 'slow',
      read: (call) => {
        signals.push(call.signal)
        return never(call)
      },
    }
    const answer = await readFirst({ caller }, [slow, SOURCES.good], hasSome)
    expect(answer).toMatchObject({ source: 'good', isFallback: true })
    expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  })
})
