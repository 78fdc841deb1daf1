import { Type } from 'typebox'
import { BLANK_CHARACTERS } from '../lib/blank-characters.js'
import { namedObject } from '../lib/named-object.js'
import { PostSchema } from '../lookups/posts/post.js'

const Count = Type.Integer({ minimum: 0 })
const POSTS_MAX = 50
const QUERY_LENGTH_MAX = 500
const CONTROL = '\\u0000-\\u001f\\u007f'

const Max = Type.Optional(
  Type.Integer({ minimum: 1, maximum: POSTS_MAX, description: 'how many posts at most' }),
)
/** `limit` and `count` are other names of `max`. */
const MaxNames = { max: Max, limit: Max, count: Max }

/** How many posts a request asks for: `max` wins over its other names. */
export const chooseMax = (
  { max, limit, count }: { max?: number; limit?: number; count?: number },
  fallback: number,
): number => max ?? limit ?? count ?? fallback

export const SearchQuery = Type.Object({
  q: Type.String({
    format: 'trimmed',
    minLength: 1,
    maxLength: QUERY_LENGTH_MAX,
    pattern: `^[^${CONTROL}]*[^${BLANK_CHARACTERS}${CONTROL}][^${CONTROL}]*$`,
    title: 'what to search for, without control characters',
    examples: ['"starting lineup" from:LineupAlerts'],
  }),
  ...MaxNames,
})

export const TimelineQuery = Type.Object(MaxNames)

export const Handle = Type.String({
  pattern: '^@?[A-Za-z0-9_]{1,15}$',
  description: '1 to 15 letters, digits and underscores',
  examples: ['LineupAlerts'],
})

const FOUND = {
  tweets: Type.Array(PostSchema),
  result_count: Count,
  fetched_at: Type.String({ description: 'ISO 8601, UTC' }),
}

export const SearchReply = namedObject('SearchedPosts', {
  query: Type.String(),
  ...FOUND,
  searched_since: Type.Optional(
    Type.String({
      description: 'Where the search began, if `since:` is earlier than what can be searched',
    }),
  ),
})

export const TimelineReply = namedObject('UserPosts', { handle: Type.String(), ...FOUND })
