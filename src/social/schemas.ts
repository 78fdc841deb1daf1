import { type Static, type TSchema, Type } from 'typebox'
import { namedObject } from '../lib/named-object.js'

const Count = Type.Integer({ minimum: 0 })

const PublicMetrics = namedObject('PostMetrics', {
  retweet_count: Count,
  reply_count: Count,
  like_count: Count,
  quote_count: Count,
  bookmark_count: Count,
  impression_count: Type.String({ description: 'How often the post was shown, as a text' }),
})

const PostUrl = namedObject('PostUrl', {
  url: Type.String({ description: 'The short link' }),
  expanded_url: Type.String(),
  display_url: Type.String(),
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
})

const PostMedia = namedObject('PostMedia', {
  type: Type.String({ description: '`photo`, `video` or `animated_gif`' }),
  url: Type.String({ description: 'The picture; of a video, its preview' }),
  expanded_url: Type.Optional(Type.String({ description: 'Its page' })),
  video_url: Type.Optional(Type.String({ description: 'The MP4 of the highest bitrate' })),
})

const PostCard = namedObject('PostCard', {
  name: Type.String(),
  url: Type.String(),
  title: Type.String(),
  description: Type.Optional(Type.String()),
  domain: Type.String(),
  thumbnail_url: Type.Optional(Type.String()),
})

const FIELDS = {
  id: Type.String(),
  text: Type.String({ description: 'With short links replaced by their targets' }),
  created_at: Type.String({
    description: 'UTC, as the network writes it',
    examples: ['Sat Nov 14 23:49:00 +0000 2026'],
  }),
  public_metrics: PublicMetrics,
  author: namedObject('PostAuthor', {
    id: Type.String(),
    name: Type.String(),
    username: Type.String(),
  }),
  conversation_id: Type.String({ description: 'The first post of the thread' }),
  urls: Type.Optional(Type.Array(PostUrl)),
  media: Type.Optional(Type.Array(PostMedia)),
  card: Type.Optional(PostCard),
  article: Type.Optional(Type.String({ description: 'Long-form content as Markdown' })),
}

/** The fields of a post that are there whether or not it quotes another. */
type PlainPost = Static<ReturnType<typeof Type.Object<typeof FIELDS>>>

/** A post as answers show it. Fields that it has not are absent, never null. */
export type Post = PlainPost & { quoted_tweet?: Post }

/** How many quoted posts may be inside each other. */
export const QUOTE_DEPTH_MAX = 2

const postSchema = (depth: number): TSchema =>
  namedObject(`${'Quoted'.repeat(QUOTE_DEPTH_MAX - depth)}Post`, {
    ...FIELDS,
    ...(depth > 0 && { quoted_tweet: Type.Optional(postSchema(depth - 1)) }),
  })

export const PostSchema = Type.Unsafe<Post>(postSchema(QUOTE_DEPTH_MAX))

const POSTS_MAX = 50
const QUERY_LENGTH_MAX = 500

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
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
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
