import { LRUCache } from 'lru-cache'
import { limitCount } from '../../lib/limit-count.js'
import { type CallOptions, type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import type { PathLimit } from '../transport/rate-limit.js'
import { parsePosts, parseUserPosts, parseUserReply, type XPosts } from './parse.js'

const windowMs = 15 * 60_000

/** What X publishes for an app; a plan may allow less, and then its answers say so. */
const X_LIMITS: readonly PathLimit[] = [
  { paths: /^\/2\/tweets\/search\/recent$/, calls: 450, windowMs },
  { paths: /^\/2\/users\/by\/username\//, calls: 300, windowMs },
  { paths: /^\/2\/users\/\d+\/tweets$/, calls: 10_000, windowMs },
]

/** How many posts one call gives at least and at most. */
const SEARCH_POSTS_MIN = 10
const TIMELINE_POSTS_MIN = 5

/** Without these a post is an id and a text. */
const FIELDS = {
  'tweet.fields':
    'article,attachments,author_id,conversation_id,created_at,entities,note_tweet,public_metrics,referenced_tweets',
  expansions: 'author_id,referenced_tweets.id,referenced_tweets.id.author_id,attachments.media_keys',
  'user.fields': 'name,username',
  'media.fields': 'preview_image_url,type,url,variants',
}

/** A hundred posts with all that belongs to them have less than a tenth of it. */
const BODY_BYTES_MAX = 8 * 1024 * 1024
/** A handle changes its owner rarely, but may. */
const HANDLE_MS = 6 * 60 * 60_000
const HANDLES_MAX = 10_000

export type XSearch = {
  /** In the operators of the API. */
  query: string
  count: number
  startMs?: number | undefined
  endMs?: number | undefined
}

/** Posts of X, by the app that the token belongs to. X bills every post that it sends. */
export class XApiClient {
  readonly #http: HttpUpstream
  readonly #ids = new LRUCache<string, string>({ ...limitCount(HANDLES_MAX), ttl: HANDLE_MS })

  constructor({ bearerToken, ...options }: ConnectorOptions & { bearerToken: string }) {
    this.#http = new HttpUpstream({
      ...options,
      name: 'x_api',
      limits: X_LIMITS,
      bodyBytesMax: BODY_BYTES_MAX,
      sign: () => ({ authorization: `Bearer ${bearerToken}` }),
    })
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  /** Posts of the last seven days, newest first. May give more than `count`. */
  searchRecent(search: XSearch, call: CallOptions = {}): Promise<XPosts> {
    const { query, count, startMs, endMs } = search
    const parameters = {
      query,
      max_results: Math.max(count, SEARCH_POSTS_MIN),
      sort_order: 'recency',
      start_time: toIso(startMs),
      end_time: toIso(endMs),
      ...FIELDS,
    }
    return this.#http.get('/2/tweets/search/recent', parameters, { parse: parsePosts, ...call })
  }

  /** The newest posts of an account, newest first. `undefined`: there is no such account, or it is not public. */
  async listPostsOf(handle: string, count: number, call: CallOptions = {}): Promise<XPosts | undefined> {
    const id = await this.findUserId(handle, call)
    if (id === undefined) return undefined
    const parameters = { max_results: Math.max(count, TIMELINE_POSTS_MIN), ...FIELDS }
    const options = { parse: parseUserPosts, ...call }
    return await this.#http.find(`/2/users/${id}/tweets`, parameters, options)
  }

  async findUserId(handle: string, call: CallOptions = {}): Promise<string | undefined> {
    const name = handle.toLowerCase()
    const known = this.#ids.get(name)
    if (known !== undefined) return known
    const options = { parse: parseUserReply, ...call }
    const user = await this.#http.find(`/2/users/by/username/${name}`, {}, options)
    if (user !== undefined) this.#ids.set(name, user.id)
    return user?.id
  }
}

// Whole seconds: X refuses fractions in some of its fields.
const toIso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : `${new Date(ms).toISOString().slice(0, 19)}Z`
