import {
  type JsonFields,
  type Parser,
  parseFields,
  parseId,
  parseInteger,
  parseString,
  parseTimeMs,
  refuseValue,
} from '../transport/parse-json.js'

/**
 * Answers of the X API v2. Its newest schema calls a tweet a post, in names of fields too; its guides
 * and, so far, its servers do not: both are read.
 */
export type XPost = {
  id: string
  /** Of a long post all of it. */
  text: string
  /** Links in the text. */
  links: readonly XLink[]
  createdMs: number
  /** `undefined`: X did not say. */
  authorId: string | undefined
  conversationId: string | undefined
  metrics: XMetrics
  references: readonly XReference[]
  mediaKeys: readonly string[]
  article: XArticle | undefined
}

export type XMetrics = {
  reposts: number
  replies: number
  likes: number
  quotes: number
  bookmarks: number
  impressions: number
}

/** `start` and `end` count Unicode code points of the text. */
export type XLink = {
  start: number
  end: number
  /** The short link, as it stands in the text. */
  url: string
  expandedUrl: string
  displayUrl: string | undefined
  unwoundUrl: string | undefined
  title: string | undefined
  description: string | undefined
  imageUrl: string | undefined
  /** Of a link to a picture or video of the post. */
  mediaKey: string | undefined
}

/** `retweeted`, `quoted` or `replied_to`. */
export type XReference = { type: string; id: string }

export type XArticle = { title: string | undefined; text: string | undefined }

export type XUser = { id: string; name: string; username: string }

export type XMedia = {
  mediaKey: string
  type: string
  url: string | undefined
  previewUrl: string | undefined
  variants: readonly { bitRate: number; contentType: string; url: string }[]
}

/** Posts, and by their ids all that they name. */
export type XPosts = {
  posts: readonly XPost[]
  referenced: ReadonlyMap<string, XPost>
  users: ReadonlyMap<string, XUser>
  media: ReadonlyMap<string, XMedia>
}

/**
 * What X could not find of the things that posts name is listed beside them, and left out here, and so
 * is what cannot be read; an answer of which no post can be read is none.
 */
export const parsePosts: Parser<XPosts> = (value, path) => {
  const fields = parseFields(value, path)
  if (!hasPosts(fields)) return refuseValue(path, 'an object with posts or their count', value)
  const includes = fields.optional('includes', parseFields)
  const posts = fields.readableList('data', parsePost)
  // Throws what is wrong with the first one.
  if (posts.length === 0) fields.list('data', parsePost)
  return {
    posts,
    referenced: byKey(listOf(includes, ['tweets', 'posts'], parsePost), ({ id }) => id),
    users: byKey(listOf(includes, ['users'], parseUser), ({ id }) => id),
    media: byKey(listOf(includes, ['media'], parseMedia), ({ mediaKey }) => mediaKey),
  }
}

/** `undefined`: the account does not show its posts, which X says with errors in place of posts. */
export const parseUserPosts: Parser<XPosts | undefined> = (value, path) => {
  const fields = parseFields(value, path)
  if (!hasPosts(fields) && hasErrors(fields)) return undefined
  return parsePosts(value, path)
}

/** `undefined`: there is no such user, which X says with a 200 and errors in place of the user. */
export const parseUserReply: Parser<XUser | undefined> = (value, path) => {
  const fields = parseFields(value, path)
  const user = fields.optional('data', parseUser)
  if (user !== undefined || hasErrors(fields)) return user
  return refuseValue(path, 'an object with a user', value)
}

/** Without posts there is no list, only their count, which is 0. */
const hasPosts = (fields: JsonFields): boolean =>
  fields.optional('data', (data) => data) !== undefined ||
  fields.optional('meta', parseFields)?.optional('result_count', parseInteger) === 0

const hasErrors = (fields: JsonFields): boolean => fields.list('errors', parseFields).length > 0

const parsePost: Parser<XPost> = (value, path) => {
  const fields = parseFields(value, path)
  const note = either(fields, ['note_tweet', 'note_post'], parseFields)
  const entities = (note ?? fields).optional('entities', parseFields)
  const attachments = fields.optional('attachments', parseFields)
  return {
    id: fields.required('id', parseId),
    text: note?.optional('text', parseString) ?? fields.required('text', parseString),
    links: entities?.readableList('urls', parseLink) ?? [],
    createdMs: fields.required('created_at', parseTimeMs),
    authorId: fields.optional('author_id', parseId),
    conversationId: fields.optional('conversation_id', parseId),
    metrics: parseMetrics(fields.optional('public_metrics', parseFields)),
    references: listOf(fields, ['referenced_tweets', 'referenced_posts'], parseReference),
    mediaKeys: attachments?.list('media_keys', parseString) ?? [],
    article: fields.optional('article', parseArticle),
  }
}

function parseMetrics(fields: JsonFields | undefined): XMetrics {
  const count = (...names: string[]): number => (fields && either(fields, names, parseInteger)) ?? 0
  return {
    reposts: count('retweet_count', 'repost_count'),
    replies: count('reply_count'),
    likes: count('like_count'),
    quotes: count('quote_count'),
    bookmarks: count('bookmark_count'),
    impressions: count('impression_count'),
  }
}

const parseLink: Parser<XLink> = (value, path) => {
  const fields = parseFields(value, path)
  const url = fields.required('url', parseString)
  const [image] = fields.list('images', parseImage)
  return {
    start: fields.required('start', parseInteger),
    end: fields.required('end', parseInteger),
    url,
    expandedUrl: fields.optional('expanded_url', parseString) ?? url,
    displayUrl: fields.optional('display_url', parseString),
    unwoundUrl: fields.optional('unwound_url', parseString),
    title: fields.optional('title', parseString),
    description: fields.optional('description', parseString),
    imageUrl: image,
    mediaKey: fields.optional('media_key', parseString),
  }
}

const parseImage: Parser<string> = (value, path) => parseFields(value, path).required('url', parseString)

const parseReference: Parser<XReference> = (value, path) => {
  const fields = parseFields(value, path)
  return { type: fields.required('type', parseString), id: fields.required('id', parseId) }
}

const parseArticle: Parser<XArticle> = (value, path) => {
  const fields = parseFields(value, path)
  return {
    title: fields.optional('title', parseString),
    text: fields.optional('plain_text', parseString),
  }
}

const parseUser: Parser<XUser> = (value, path) => {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    name: fields.required('name', parseString),
    username: fields.required('username', parseString),
  }
}

const parseMedia: Parser<XMedia> = (value, path) => {
  const fields = parseFields(value, path)
  return {
    mediaKey: fields.required('media_key', parseString),
    type: fields.required('type', parseString),
    url: fields.optional('url', parseString),
    previewUrl: fields.optional('preview_image_url', parseString),
    variants: fields.list('variants', parseVariant),
  }
}

const parseVariant: Parser<XMedia['variants'][number]> = (value, path) => {
  const fields = parseFields(value, path)
  return {
    // A playlist has none.
    bitRate: fields.optional('bit_rate', parseInteger) ?? 0,
    contentType: fields.required('content_type', parseString),
    url: fields.required('url', parseString),
  }
}

/** The first of the names that is there. */
function either<T>(fields: JsonFields, names: readonly string[], parse: Parser<T>): T | undefined {
  const name = names.find((each) => fields.optional(each, (value) => value) !== undefined)
  return name === undefined ? undefined : fields.optional(name, parse)
}

const listOf = <T>(fields: JsonFields | undefined, names: readonly string[], parse: Parser<T>): T[] =>
  names.flatMap((name) => fields?.readableList(name, parse) ?? [])

const byKey = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T> =>
  new Map(items.map((item) => [keyOf(item), item]))
