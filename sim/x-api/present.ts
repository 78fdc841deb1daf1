import { readList } from '../server/query.js'
import { type Account, conversationOf, type Link, type Media, type Post, repostsOf } from './post.js'
import { invalidParameter, missing } from './problem.js'

/** Which fields of which things a request asks for. */
export type Wanted = {
  post: ReadonlySet<string>
  user: ReadonlySet<string>
  media: ReadonlySet<string>
  expansions: ReadonlySet<string>
}

const POST_FIELDS = [
  'article',
  'attachments',
  'author_id',
  'conversation_id',
  'created_at',
  'entities',
  'id',
  'lang',
  'note_tweet',
  'public_metrics',
  'referenced_tweets',
  'text',
]
const USER_FIELDS = ['id', 'name', 'profile_image_url', 'public_metrics', 'username', 'verified']
const MEDIA_FIELDS = ['media_key', 'preview_image_url', 'type', 'url', 'variants']
const EXPANSIONS = [
  'author_id',
  'referenced_tweets.id',
  'referenced_tweets.id.author_id',
  'attachments.media_keys',
]
const TEXT_MAX = 280

export function readWanted(query: URLSearchParams): Wanted {
  const read = (name: string, allowed: readonly string[]): Set<string> => {
    const names = readList(query, name)
    const unknown = names.find((each) => !allowed.includes(each))
    if (unknown !== undefined) {
      const message = `The \`${name}\` query parameter value [${unknown}] is not one of [${allowed.join(',')}]`
      throw invalidParameter(name, unknown, message)
    }
    return new Set(names)
  }
  return {
    post: read('tweet.fields', POST_FIELDS),
    user: read('user.fields', USER_FIELDS),
    media: read('media.fields', MEDIA_FIELDS),
    expansions: read('expansions', EXPANSIONS),
  }
}

/** The body of a list of posts. */
export function presentPosts(posts: readonly Post[], wanted: Wanted, nextToken?: string): object {
  const meta = {
    ...(posts.length > 0 && { newest_id: posts[0]?.id, oldest_id: posts.at(-1)?.id }),
    result_count: posts.length,
    ...(nextToken !== undefined && { next_token: nextToken }),
  }
  if (posts.length === 0) return { meta }
  const { expansions } = wanted
  const named = posts.flatMap(({ quotes, repostOf, replyTo }) =>
    [quotes, repostOf, replyTo].flatMap((each) => each ?? []),
  )
  const referenced = expansions.has('referenced_tweets.id') ? unique(named) : []
  const authors = [
    ...(expansions.has('author_id') ? posts : []),
    ...(expansions.has('referenced_tweets.id.author_id') ? named : []),
  ].map(({ author }) => author)
  const media = expansions.has('attachments.media_keys') ? [...posts, ...referenced] : []
  const includes = {
    users: unique(authors).map((author) => presentUser(author, wanted)),
    tweets: referenced.map((post) => presentPost(post, wanted)),
    media: unique(
      media.flatMap((post) => post.media ?? []).map((each) => ({ ...each, id: each.mediaKey })),
    ).map((each) => presentMedia(each, wanted)),
  }
  const filled = Object.entries(includes).filter(([, items]) => items.length > 0)
  const errors = expansions.has('referenced_tweets.id')
    ? posts.flatMap(({ quotesDeleted }) =>
        quotesDeleted === undefined ? [] : missing('tweet', 'referenced_tweets.id', quotesDeleted),
      )
    : []
  return {
    data: posts.map((post) => presentPost(post, wanted)),
    ...(filled.length > 0 && { includes: Object.fromEntries(filled) }),
    ...(errors.length > 0 && { errors }),
    meta,
  }
}

const unique = <T extends { id: string }>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
]

const pick = (fields: Record<string, unknown>, wanted: ReadonlySet<string>) =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => wanted.has(name) && value !== undefined),
  )

export const presentUser = ({ id, name, username }: Account, { user }: Pick<Wanted, 'user'>) => ({
  id,
  name,
  username,
  ...pick({ verified: false, profile_image_url: `https://pbs.twimg.com/profile_images/${id}.jpg` }, user),
})

const presentMedia = ({ mediaKey, type, url, variants }: Media, { media }: Wanted) => ({
  media_key: mediaKey,
  type,
  ...pick(type === 'photo' ? { url } : { preview_image_url: url, variants }, media),
})

function presentPost(post: Post, { post: wanted }: Wanted) {
  const { id, createdMs, author, lang, likes, media, repostOf } = post
  const { shown, note } = cut(post)
  const references = referencesOf(post)
  return {
    id,
    text: shown,
    edit_history_tweet_ids: [id],
    ...pick(
      {
        created_at: new Date(createdMs).toISOString(),
        author_id: author.id,
        conversation_id: conversationOf(post),
        lang,
        entities: repostOf === undefined ? presentEntities(shown, post.links) : undefined,
        note_tweet: note && { text: note, entities: presentEntities(note, post.links) },
        attachments: media && { media_keys: [media.mediaKey] },
        referenced_tweets: references.length > 0 ? references : undefined,
        public_metrics: {
          retweet_count: repostsOf(post),
          reply_count: likes >> 4,
          like_count: likes,
          quote_count: likes >> 6,
          bookmark_count: likes >> 5,
          impression_count: likes * 37,
        },
      },
      wanted,
    ),
  }
}

/** A repost and a long post are shown cut off; only the latter has its whole text beside it. */
function cut({ text, repostOf }: Post): { shown: string; note: string | undefined } {
  const whole = repostOf === undefined ? text : `RT @${repostOf.author.username}: ${repostOf.text}`
  const characters = [...whole]
  const max = repostOf === undefined ? TEXT_MAX : TEXT_MAX / 2
  if (characters.length <= max) return { shown: whole, note: undefined }
  const shown = `${characters.slice(0, max - 1).join('')}…`
  return { shown, note: repostOf === undefined ? whole : undefined }
}

function referencesOf({ repostOf, quotes, quotesDeleted, replyTo }: Post) {
  const quoted = quotes?.id ?? quotesDeleted
  return [
    ...(repostOf === undefined ? [] : [{ type: 'retweeted', id: repostOf.id }]),
    ...(quoted === undefined ? [] : [{ type: 'quoted', id: quoted }]),
    ...(replyTo === undefined ? [] : [{ type: 'replied_to', id: replyTo.id }]),
  ]
}

/** Positions count Unicode code points. A link that is cut off is not among them. */
function presentEntities(text: string, links: readonly Link[]) {
  const urls = links.flatMap((link) => {
    const at = text.indexOf(link.url)
    if (at === -1) return []
    const start = [...text.slice(0, at)].length
    const { url, expandedUrl, title, description, imageUrl, mediaKey } = link
    return {
      start,
      end: start + url.length,
      url,
      expanded_url: expandedUrl,
      display_url: expandedUrl.replace(/^https?:\/\//, ''),
      ...(mediaKey !== undefined && { media_key: mediaKey }),
      ...(title !== undefined && { status: 200, title, description, unwound_url: expandedUrl }),
      ...(imageUrl !== undefined && { images: [{ url: imageUrl, width: 800, height: 419 }] }),
    }
  })
  const hashtags = [...text.matchAll(/#(\w+)/g)].map(({ index, 1: tag = '' }) => {
    const start = [...text.slice(0, index)].length
    return { start, end: start + tag.length + 1, tag }
  })
  if (urls.length + hashtags.length === 0) return undefined
  return { ...(urls.length > 0 && { urls }), ...(hashtags.length > 0 && { hashtags }) }
}
