import type { Caller } from '../accounts/key-ring.js'
import type { Context } from '../context.js'
import { notConfigured } from '../core/errors.js'
import type { Post } from './schemas.js'

/** Who asks, and what answers. */
export type SocialTools = { ctx: Context; caller: Caller }

/** `query` in the operators of web search; at most `max` posts, 1 to 50. */
export type PostQuery = { query: string; max: number }

/**
 * Posts of the last seven days, newest first. Takes one unit of the account's month for an answer, and
 * none for a fault. Throws an `ApiError` (400 for a query that cannot be asked, 429 when the month is
 * used up, 502 without a token) or an `UpstreamError`. The one request per second of the key is for the
 * caller to keep: the guard of a route does, or `untilSocialTurn`.
 */
export async function searchPosts(_tools: SocialTools, _query: PostQuery): Promise<Post[]> {
  throw notConfigured('Set AUSPEX_X_BEARER_TOKEN to search posts.')
}
