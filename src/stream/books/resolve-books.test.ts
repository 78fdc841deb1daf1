import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { toTokenId } from '../../core/ids.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { sortIdentifiers } from './book-request.js'
import { type BookSources, resolveBooks } from './resolve-books.js'
import { insertBookMarkets } from './test-catalogue-rows.js'

const hex = (id: number) => `0x${id.toString(16).padStart(64, 'a')}`
/** Market n has the tokens 2n and 2n + 1. */
const market = (id: number, eventId: number, slug: string, eventSlug = `event-${eventId}`) => ({
  id,
  eventId,
  eventSlug,
  slug,
  conditionId: hex(id),
  tokens: [hex(2 * id), hex(2 * id + 1)],
})
const tokensOf = (...markets: number[]) =>
  markets.flatMap((id) => [toTokenId(hex(2 * id)), toTokenId(hex(2 * id + 1))])

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await insertBookMarkets(database.sql, [
    market(1, 10, 'one'),
    market(2, 10, 'two'),
    market(3, 11, 'event-10'),
    market(4, 11, 'shared'),
    market(5, 12, 'shared'),
    market(6, 13, 'six', 'twice'),
    market(7, 14, 'seven', 'twice'),
  ])
})
afterAll(() => database.drop())

const LISTED = '123456789012345'
const FOLLOWED = '223456789012345'
const UNKNOWN = '323456789012345'

/** The token ids of each call of the exchange. */
let requested: (readonly string[])[] = []
beforeEach(() => {
  requested = []
})

const resolve = (names: string[], max = 100, isDown = false) => {
  const sources: BookSources = {
    sql: database.sql,
    isFollowed: (tokenId) => tokenId === FOLLOWED,
    findListed: async (tokenIds) => {
      requested.push(tokenIds)
      if (isDown) throw new UpstreamError('does not answer', { upstream: 'clob', retryable: true })
      return new Set(tokenIds.filter((tokenId) => tokenId === LISTED))
    },
  }
  return resolveBooks(sources, sortIdentifiers(names), max)
}

test.each<[string, string[], string[]]>([
  ['a condition: its tokens', [hex(1)], tokensOf(1)],
  ['an event: the tokens of all its markets', ['event-10'], tokensOf(1, 2)],
  ['a market: its tokens', ['two'], tokensOf(2)],
  ['a slug of several events: the tokens of all', ['twice'], tokensOf(6, 7)],
  ['a token of the catalogue', tokensOf(3), tokensOf(3)],
  ['a token that the exchange has before the catalogue', [LISTED], [LISTED]],
  ['a token that is followed', [FOLLOWED], [FOLLOWED]],
  ['everything at once, each token once', [hex(1), 'event-10', 'one', ...tokensOf(1)], tokensOf(1, 2)],
])('%s', async (_what, names, tokens) => {
  const { tokenIds, unresolved } = await resolve(names)
  expect(tokenIds.toSorted()).toEqual(tokens.toSorted())
  expect(unresolved).toEqual([])
})

test('counts the names of each kind that were found, and lists the others', async () => {
  const names = ['event-10', 'two', 'absent', hex(3), hex(99), FOLLOWED, UNKNOWN, '0x1']
  const { resolvedFrom, unresolved, tokenIds } = await resolve(names)
  expect(resolvedFrom).toEqual({ token_ids: 1, slugs: 2, condition_ids: 1 })
  expect(tokenIds).toHaveLength(7)
  expect(unresolved).toEqual(['0x1', hex(99), 'absent', UNKNOWN])
})

describe('tokens that the catalogue does not have', () => {
  const invented = Array.from({ length: 2_500 }, (_, index) => String(10n ** 30n + BigInt(index)))

  test('are asked for in one call of the exchange, a few hundred of them', async () => {
    const { tokenIds, unresolved, isUnsure } = await resolve([...invented, ...tokensOf(1)])
    expect(tokenIds).toEqual(tokensOf(1))
    expect(unresolved).toEqual(invented)
    expect(isUnsure).toBe(false)
    expect(requested).toEqual([invented.slice(0, 500)])
  })

  test('are unknown while the exchange does not answer', async () => {
    const { tokenIds, unresolved, isUnsure } = await resolve([LISTED, FOLLOWED], 100, true)
    expect(tokenIds).toEqual([FOLLOWED])
    expect(unresolved).toEqual([LISTED])
    expect(isUnsure).toBe(true)
  })

  test('are the only ones that the exchange is asked for', async () => {
    await resolve([...tokensOf(1, 2), FOLLOWED, 'event-10', 'absent'])
    expect(requested).toEqual([])
  })
})

test('a slug that several markets share names none', async () => {
  expect(await resolve(['shared'])).toMatchObject({ tokenIds: [], unresolved: ['shared'] })
})

test('reads no more markets than can be followed', async () => {
  const { tokenIds } = await resolve(['event-10', 'event-11', 'event-12', 'twice'], 3)
  expect(tokenIds).toHaveLength(8)
})

test('malformed names do no harm', async () => {
  const malformed = ["'; drop table markets", '\ud800', 'ÄÖÜ', '%', '\\', '{}', '"', 'null']
  expect((await resolve(malformed)).unresolved).toEqual(malformed)
})
