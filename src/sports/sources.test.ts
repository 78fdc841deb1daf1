import { expect, test } from 'vitest'
import { notFound } from '../core/errors.js'
import { readFirst, type SportsSource, type SportsTools } from './sources.js'

const caller = { accountId: 7 } as SportsTools['caller']
const asked: string[] = []
const source = (name: string, read: SportsSource<string>['read']): SportsSource<string> => ({
  name,
  read: (call) => {
    asked.push(`${name} for ${call.accountId}`)
    return read(call)
  },
})
const broken = (name: string) => source(name, () => Promise.reject(new Error(`${name} is down`)))
const sound = (name: string) => source(name, async () => 'games')

test.each([
  ['the first', [sound('a'), sound('b')], { source: 'a', isFallback: false }, ['a for 7']],
  [
    'the next',
    [broken('a'), sound('b')],
    { source: 'b', isFallback: true },
    ['a for 7', 'b for 7'],
  ],
])('%s source that answers', async (_which, sources, found, calls) => {
  asked.length = 0
  expect(await readFirst({ caller }, sources)).toEqual({ value: 'games', ...found })
  expect(asked).toEqual(calls)
})

test('a 404 is an answer: no further source is asked', async () => {
  const absent = source('a', () => Promise.reject(notFound('no such league')))
  await expect(readFirst({ caller }, [absent, sound('b')])).rejects.toThrow('no such league')
})

test('throws what the last one threw', async () => {
  await expect(readFirst({ caller }, [broken('a'), broken('b')])).rejects.toThrow('b is down')
})
