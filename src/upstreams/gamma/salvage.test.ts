import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseEvent } from './parse.js'
import { salvagePage, salvageSlice } from './salvage.js'

const event = JSON.parse(readFileSync(new URL('fixtures/event.json', import.meta.url), 'utf8'))
const parse = salvagePage('events', parseEvent)
const readOne = (changes: object) => parse({ events: [{ ...event, ...changes }] }, 'body')

describe('salvagePage', () => {
  test('parses every entry of a page without faults, and its cursor', () => {
    const page = { events: [event, event], next_cursor: 'abc' }
    const items = page.events.map((item) => parseEvent(item, 'body'))
    expect(parse(page, 'body')).toEqual({ items, nextCursor: 'abc', faults: [] })
  })

  test('a page must have its list, and has a cursor unless it is the last', () => {
    expect(parse({ events: [] }, 'body')).toEqual({ items: [], nextCursor: undefined, faults: [] })
    expect(parse({ events: [], next_cursor: null }, 'body').nextCursor).toBeUndefined()
    expect(() => parse({ error: 'x' }, 'body')).toThrow('body.events must be an array')
  })

  test.each(['', 7, {}])('a cursor that is none (%j) does not end the list', (next_cursor) => {
    expect(() => parse({ events: [], next_cursor }, 'body')).toThrow('body.next_cursor must be')
  })

  test('leaves out the fields that are refused, and reports each entry once', () => {
    const { items, faults } = readOne({ endDate: 'tomorrow', title: 7, tags: [{ id: 1 }, null] })
    expect(items).toMatchObject([{ id: event.id, slug: event.slug, title: undefined }])
    expect(items[0]?.endDateMs).toBeUndefined()
    expect(items[0]?.tags).toMatchObject([{ id: '1' }])
    expect(faults).toEqual(['body.events[0].title must be a string, got 7'])
  })

  test('an object that requires a refused field is left out, and no more', () => {
    const [market] = event.markets
    const { items, faults } = readOne({ markets: [{ ...market, id: null }, market] })
    expect(items[0]?.markets).toHaveLength(1)
    expect(faults).toHaveLength(1)
    expect(readOne({ id: {} })).toMatchObject({ items: [], faults: [expect.stringContaining('.id')] })
  })

  test('a market whose tokens cannot be told apart has none, or is left out', () => {
    const [market] = event.markets
    const readMarket = (changes: object) => readOne({ markets: [{ ...market, ...changes }] })
    expect(readMarket({ clobTokenIds: '[1.5, 2]' })).toMatchObject({
      items: [{ markets: [{ slug: market.slug, tokens: [] }] }],
      faults: [expect.any(String)],
    })
    for (const outcomes of ['["Up"]', '['])
      expect(readMarket({ outcomes })).toMatchObject({
        items: [{ markets: [] }],
        faults: [expect.any(String)],
      })
  })

  test('refuses what is no page at all', () => {
    expect(() => parse({ error: 'x' }, 'body')).toThrow('body.events must be an array')
    expect(() => parse('x', 'body')).toThrow('body must be an object')
  })
})

test.each([
  ['a bare array', [event, { id: {} }]],
  ['an array under `data`', { data: [event, { id: {} }], pagination: { hasMore: false } }],
])('salvageSlice reads %s, and counts what it leaves out', (_what, body) => {
  const slice = salvageSlice(parseEvent)(body, 'body')
  expect(slice).toMatchObject({ items: [{ id: event.id }], entryCount: 2 })
  expect(slice.faults).toHaveLength(1)
})
