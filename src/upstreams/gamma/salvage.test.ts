import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseEvent } from './parse.js'
import { salvagePage } from './salvage.js'

const event = JSON.parse(readFileSync(new URL('fixtures/event.json', import.meta.url), 'utf8'))
const parse = salvagePage('events', parseEvent)
const readOne = (changes: object) => parse({ events: [{ ...event, ...changes }] }, 'body')

describe('salvagePage', () => {
  test('parses every entry of a page without faults, and its cursor', () => {
    const page = { events: [event, event], next_cursor: 'abc' }
    const items = page.events.map((item) => parseEvent(item, 'body'))
    expect(parse(page, 'body')).toEqual({ items, nextCursor: 'abc', odd: [] })
  })

  test('a page must have its list, and has a cursor unless it is the last', () => {
    expect(parse({ events: [] }, 'body')).toEqual({ items: [], nextCursor: undefined, odd: [] })
    expect(() => parse({ error: 'x' }, 'body')).toThrow('body.events must be an array')
  })

  test('leaves out the fields that are refused, and reports each entry once', () => {
    const { items, odd } = readOne({ endDate: 'tomorrow', title: 7, tags: [{ id: 1 }, null] })
    expect(items).toMatchObject([{ id: event.id, slug: event.slug, title: undefined }])
    expect(items[0]?.endDateMs).toBeUndefined()
    expect(items[0]?.tags).toMatchObject([{ id: '1' }])
    expect(odd).toEqual(['body.events[0].title must be a string, got 7'])
  })

  test('an object that requires a refused field is left out, and no more', () => {
    const [market] = event.markets
    const { items, odd } = readOne({ markets: [{ ...market, id: null }, market] })
    expect(items[0]?.markets).toHaveLength(1)
    expect(odd).toHaveLength(1)
    expect(readOne({ id: {} })).toMatchObject({ items: [], odd: [expect.stringContaining('.id')] })
  })

  test('a market whose tokens cannot be told apart has none', () => {
    const [market] = event.markets
    for (const changes of [
      { outcomes: '["Up"]' },
      { outcomes: '[' },
      { clobTokenIds: '[1.5, 2]' },
    ]) {
      const { items, odd } = readOne({ markets: [{ ...market, ...changes }] })
      expect(items[0]?.markets).toMatchObject([{ slug: market.slug, tokens: [] }])
      expect(odd).toHaveLength(1)
    }
  })

  test('refuses what is no page at all', () => {
    expect(() => parse({ error: 'x' }, 'body')).toThrow('body.events must be an array')
    expect(() => parse('x', 'body')).toThrow('body must be an object')
  })
})
