import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brokenJson } from '../../../test/mutate-json.js'
import { ParseError } from '../transport/parse-json.js'
import { dataPageOf, parseBuilder, parseLeader } from './parse.js'

const ROW = { rank: 1, user_id: '0xab', pnl: 12.5, volume: '300.25', verified: false }
const page = (pagination: object) => ({ data: [ROW], pagination })
const LAST = page({ has_more: false, next_cursor: null })
const parse = (value: unknown) => dataPageOf(parseLeader)(value, 'body')

const BUILDER = {
  ...{ rank: 2, builder_name: 'Ada', builder_code: '0xab', profile_image: null, verified: true },
  ...{ volume: 12.25, active_users: 3 },
}

describe('a builder', () => {
  test('has a name, a code and its place', () => {
    expect(parseBuilder(BUILDER, 'body')).toEqual({
      ...{ rank: 2, code: '0xab', name: 'Ada', logo: undefined, verified: true },
      ...{ volume: '12.25', activeUsers: 3 },
    })
    expect(parseBuilder({ ...BUILDER, builder_code: '' }, 'body').code).toBeUndefined()
  })

  test.each([
    ['no rank', { rank: null }],
    ['a volume below zero', { volume: -1 }],
    ['half a user', { active_users: 0.5 }],
    ['a number as its name', { builder_name: 7 }],
  ])('refused: %s', (_what, change) => {
    expect(() => parseBuilder({ ...BUILDER, ...change }, 'body')).toThrow(ParseError)
  })
})

describe('a page', () => {
  test('has rows and says whether there are more', () => {
    const leader = { rank: 1, userId: '0xab', pnl: 12.5, volume: 300.25 }
    expect(parse(LAST)).toEqual({ items: [leader], nextCursor: undefined })
    const more = parse(page({ has_more: true, next_cursor: 'abc' }))
    expect(more).toEqual({ items: [leader], nextCursor: 'abc' })
  })

  test.each([
    ['a bare array', [ROW]],
    ['no pagination', { data: [ROW] }],
    ['no cursor', page({ has_more: false })],
    ['a cursor on the last page', page({ has_more: false, next_cursor: 'abc' })],
    ['no cursor on another page', page({ has_more: true, next_cursor: null })],
    ['nothing about more', page({ next_cursor: null })],
    ['no rows', { ...LAST, data: null }],
  ])('refused: %s', (_what, value) => {
    expect(() => parse(value)).toThrow(ParseError)
  })

  test.each([
    ['wallets', LAST, parseLeader],
    ['builders', { ...LAST, data: [BUILDER] }, parseBuilder],
  ])(
    'whatever comes instead of %s, nothing but a ParseError is thrown',
    (_what, good, parseRow) => {
      const parsePage = dataPageOf<unknown>(parseRow)
      fc.assert(
        fc.property(brokenJson([good]), (text) => {
          if (text === '') return
          try {
            parsePage(JSON.parse(text), 'body')
          } catch (error) {
            expect(error).toBeInstanceOf(ParseError)
          }
        }),
      )
    },
  )
})
