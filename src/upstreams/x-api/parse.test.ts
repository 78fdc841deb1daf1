import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ParseError } from '../transport/parse-json.js'
import { parsePosts, parseUserPosts, parseUserReply } from './parse.js'

type Answers = Record<'search' | 'renamed' | 'empty' | 'unknownUser' | 'protectedUser', object>
const answers: Answers = JSON.parse(readFileSync(new URL('fixtures/answers.json', import.meta.url), 'utf8'))

describe('an answer of the X API', () => {
  test('posts, the whole text of a long one, and what they name', () => {
    const { posts, referenced, users, media } = parsePosts(answers.search, 'body')
    expect(posts).toHaveLength(2)
    expect(posts[0]).toMatchObject({
      id: '2057000000000000001',
      text: 'A long post that goes on https://t.co/aaaaaaaaaa',
      createdMs: Date.UTC(2026, 10, 14, 23, 49),
      conversationId: '2057000000000000001',
      metrics: { reposts: 4, replies: 3, likes: 21, quotes: 1, bookmarks: 2, impressions: 1_900 },
      links: [{ start: 25, end: 48, title: 'A page', imageUrl: 'https://pbs.example/1.jpg' }],
      references: [{ type: 'quoted', id: '2056000000000000001' }],
      mediaKeys: ['7_1'],
    })
    expect(posts[1]).toMatchObject({ article: { title: 'On markets', text: 'They move.' } })
    expect(referenced.get('2056000000000000001')?.text).toBe('quoted')
    expect(users.get('12')?.username).toBe('someone')
    expect(media.get('7_1')?.variants).toContainEqual({
      bitRate: 0,
      contentType: 'application/x-mpegURL',
      url: 'https://video.example/1.m3u8',
    })
  })

  test('a post that cannot be read does not spoil the others', () => {
    const malformed = { id: '1', text: 7 }
    const { data } = answers.search as { data: object[] }
    const { posts } = parsePosts({ ...answers.search, data: [malformed, ...data, null] }, 'body')
    expect(posts).toEqual(parsePosts(answers.search, 'body').posts)
    expect(() => parsePosts({ ...answers.search, data: [malformed] }, 'body')).toThrow(ParseError)
  })

  test('the newer names of the same fields', () => {
    const { posts, referenced } = parsePosts(answers.renamed, 'body')
    expect(posts[0]).toMatchObject({
      text: 'all of it',
      metrics: { reposts: 9 },
      references: [{ type: 'quoted', id: '5' }],
    })
    expect(referenced.get('5')?.text).toBe('quoted')
  })

  test('nothing found has no list', () => {
    expect(parsePosts(answers.empty, 'body').posts).toEqual([])
  })

  test('a user who is not there, and one who shows nothing', () => {
    expect(parseUserReply(answers.unknownUser, 'body')).toBeUndefined()
    expect(parseUserPosts(answers.protectedUser, 'body')).toBeUndefined()
  })

  test.each([
    ['an empty object', parsePosts, {}],
    ['a list', parsePosts, []],
    ['a count without posts', parsePosts, { meta: { result_count: 3 } }],
    ['errors in place of found posts', parsePosts, { errors: [{ title: 'x' }] }],
    ['a post without a time', parsePosts, { data: [{ id: '1', text: 'a' }] }],
    ['no user and no errors', parseUserReply, {}],
    ['a timeline of nothing', parseUserPosts, {}],
  ])('%s is refused', (_what, parse, answer) => {
    expect(() => parse(answer, 'body')).toThrow(ParseError)
  })
})
