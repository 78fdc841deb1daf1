import { type Static, type TSchema, Type } from 'typebox'
import { namedObject } from '../../lib/named-object.js'
import type { XLink, XMedia, XPost, XPosts, XUser } from '../../upstreams/x-api/parse.js'
import { expandLinks } from './expand-links.js'

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
const QUOTE_DEPTH_MAX = 2

const postSchema = (depth: number): TSchema =>
  namedObject(`${'Quoted'.repeat(QUOTE_DEPTH_MAX - depth)}Post`, {
    ...FIELDS,
    ...(depth > 0 && { quoted_tweet: Type.Optional(postSchema(depth - 1)) }),
  })

export const PostSchema = Type.Unsafe<Post>(postSchema(QUOTE_DEPTH_MAX))

/** `depth`: how many quoted posts may still be inside of it. */
export function presentPost(post: XPost, found: XPosts, depth = QUOTE_DEPTH_MAX): Post {
  const original = findReferenced(post, 'retweeted', found)
  const shown = original ?? post
  const quoted = depth === 0 ? undefined : findReferenced(shown, 'quoted', found)
  const links = shown.links.filter(({ mediaKey }) => mediaKey === undefined)
  const media = shown.mediaKeys.flatMap((key) => found.media.get(key) ?? [])
  const carded = links.find(({ title }) => title !== undefined)
  const article = presentArticle(shown)
  return {
    id: post.id,
    text: presentText(post, original, found),
    created_at: presentNativeTime(post.createdMs),
    public_metrics: presentMetrics(post),
    author: presentAuthor(post, found),
    conversation_id: post.conversationId ?? post.id,
    ...(links.length > 0 && { urls: links.map(presentLink) }),
    ...(media.length > 0 && { media: media.map((each) => presentMedia(each, shown.links)) }),
    ...(carded !== undefined && { card: presentCard(carded) }),
    ...(quoted !== undefined && { quoted_tweet: presentPost(quoted, found, depth - 1) }),
    ...(article !== undefined && { article }),
  }
}

const findReferenced = ({ references }: XPost, type: string, { referenced }: XPosts) =>
  referenced.get(references.find((each) => each.type === type)?.id ?? '')

/** The text of a repost is cut off in itself: that of the original is whole. */
function presentText(post: XPost, original: XPost | undefined, found: XPosts): string {
  if (original === undefined) return expandLinks(post.text, post.links)
  const { username } = presentAuthor(original, found)
  return `RT @${username}: ${expandLinks(original.text, original.links)}`
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Sat Nov 14 23:49:00 +0000 2026`, as the network itself writes times. */
export function presentNativeTime(ms: number): string {
  const date = new Date(ms)
  const iso = date.toISOString()
  const day = `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${iso.slice(8, 10)}`
  return `${day} ${iso.slice(11, 19)} +0000 ${iso.slice(0, 4)}`
}

const presentMetrics = ({ metrics }: XPost): Post['public_metrics'] => ({
  retweet_count: metrics.reposts,
  reply_count: metrics.replies,
  like_count: metrics.likes,
  quote_count: metrics.quotes,
  bookmark_count: metrics.bookmarks,
  impression_count: String(metrics.impressions),
})

/** X leaves out users whom it does not show any more. */
function presentAuthor({ authorId = '' }: XPost, { users }: XPosts): XUser {
  const { id, name, username } = users.get(authorId) ?? { id: authorId, name: '', username: '' }
  return { id, name, username }
}

const presentLink = ({ url, expandedUrl, displayUrl, title, description }: XLink) => ({
  url,
  expanded_url: expandedUrl,
  display_url: displayUrl ?? expandedUrl.replace(/^https?:\/\/(www\.)?/, ''),
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
})

function presentMedia(media: XMedia, links: readonly XLink[]) {
  const { mediaKey, type, url, previewUrl } = media
  const page = links.find((link) => link.mediaKey === mediaKey)?.expandedUrl
  const [video] = media.variants
    .filter(({ contentType }) => contentType === 'video/mp4')
    .sort((a, b) => b.bitRate - a.bitRate)
  return {
    type,
    url: url ?? previewUrl ?? '',
    ...(page !== undefined && { expanded_url: page }),
    ...(video !== undefined && { video_url: video.url }),
  }
}

/** The API has no cards: the page of the first link that has a title is what a card shows. */
function presentCard(link: XLink) {
  const { expandedUrl, unwoundUrl, title = '', description, imageUrl } = link
  const url = unwoundUrl ?? expandedUrl
  return {
    name: imageUrl === undefined ? 'summary' : 'summary_large_image',
    url,
    title,
    ...(description !== undefined && { description }),
    domain: URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '',
    ...(imageUrl !== undefined && { thumbnail_url: imageUrl }),
  }
}

function presentArticle({ article }: XPost): string | undefined {
  const { title, text } = article ?? {}
  const parts = [title && `# ${title}`, text].filter((part) => part !== undefined && part !== '')
  return parts.length === 0 ? undefined : parts.join('\n\n')
}
