import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brokenJson } from '../../../test/mutate-json.js'
import { ParseError } from '../transport/parse-json.js'
import { dataPageOf, parseLeader } from './parse.js'

const ROW = { rank: 1, user_id: '0xab', pnl: 12.5, volume: '300.25', verified: false }
const page = (pagination: object) => ({ data: [ROW], pagination })
const LAST = page({ has_more: false, next_cursor: null })
const parse = (value: unknown) => dataPageOf(parseLeader)(value, 'body')

describe('a page', () => {
  test('has rows and says whether there are more', () => {
    const leader = { rank: 1, userId: '0xab', pnl: 12.5, volume: 300.25 }
    expect(parse(LAST)).toEqual([leader])
    expect(parse(page({ has_more: true, next_cursor: 'abc' }))).toEqual([leader])
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

  test('whatever comes, nothing but a ParseError is thrown', () => {
    fc.assert(
      fc.property(brokenJson([LAST]), (text) => {
        if (text === '') return
        try {
          parse(JSON.parse(text))
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError)
        }
      }),
    )
  })
})
