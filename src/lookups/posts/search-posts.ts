import type { Admission } from '../../accounts/admission.js'
import type { Caller } from '../../accounts/key-ring.js'
import { badRequest, notConfigured, notFound } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import type { Timing } from '../../lib/timing.js'
import type { Platform } from '../../platform.js'
import { withUpstreamTimeout } from '../../upstreams/transport/upstream-timeout.js'
import type { Upstreams } from '../../upstreams/upstreams.js'
import type { XPosts } from '../../upstreams/x-api/parse.js'
import { type Post, presentPost } from './post.js'
import { translateQuery } from './translate-query.js'

export type SocialDeps = {
  upstreams: Upstreams
  admission: Admission
  socialQuota: {
    /** Takes one unit of the account's month for work that succeeds. */
    spend: <T>(caller: Caller, work: () => Promise<T>) => Promise<T>
    usedBy: (accountId: number) => Promise<number>
  }
  /** Of the waits between the requests of a key. */
  timing: Timing
}

/** Who asks, and what answers. */
export type SocialTools = { platform: Pick<Platform, 'clock'>; deps: SocialDeps; caller: Caller }

/** `query` in the operators of web search; at most `max` posts, 1 to 50. */
export type PostQuery = { query: string; max: number }

/** `cutAtMs`: where the search begins if the query names an earlier time than can be searched. */
export type FoundPosts = { posts: Post[]; cutAtMs: number | undefined }

/**
 * Posts of the last seven days, newest first. Takes one unit of the account's month for an answer, and
 * none for a fault. Throws an `ApiError` (400 for a query that cannot be searched, 429 when the month is
 * used up, 502 without a token) or an `UpstreamError`. It does not enforce the one request per second of
 * the key: the guard of a route does, or `waitForSocialRate`.
 */
export const searchPosts = async (tools: SocialTools, query: PostQuery): Promise<Post[]> =>
  (await findPosts(tools, query)).posts

/** Like `searchPosts`, and says how far back it searched. */
export async function findPosts(
  { platform, deps, caller }: SocialTools,
  { query: text, max }: PostQuery,
): Promise<FoundPosts> {
  const network = networkOf(deps)
  const { cutAtMs, ...query } = translateQuery(text, platform.clock.now())
  const { accountId } = caller
  const found = await deps.socialQuota.spend(caller, () =>
    withUpstreamTimeout('x_api', (signal) =>
      network.searchRecent({ ...query, count: max }, { signal, accountId }),
    ).catch(refuseQuery),
  )
  return { posts: presentNewest(found, max), cutAtMs }
}

/**
 * Resolves when the key may make its next social request, which is then counted: one per second, in all
 * processes together. Rejects with the reason of the signal.
 */
export async function waitForSocialRate(
  { platform, deps, caller }: SocialTools,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const { allowed, strictest } = await deps.admission.charge(caller, 'social_rate')
    if (allowed) return
    await deps.timing.sleep(Math.max(1, strictest.resetAtMs - platform.clock.now()), signal)
  }
}

/** The newest posts of an account, newest first. Costs what a search costs. Throws a 404 without that account. */
export async function listPosts(
  { deps, caller }: SocialTools,
  { handle, max }: { handle: string; max: number },
): Promise<Post[]> {
  const network = networkOf(deps)
  const { accountId } = caller
  return await deps.socialQuota.spend(caller, async () => {
    const found = await withUpstreamTimeout('x_api', (signal) =>
      network.listPostsOf(handle, max, { signal, accountId }),
    )
    if (found === undefined) throw notFound(`There is no public account @${handle}.`)
    return presentNewest(found, max)
  })
}

function networkOf({ upstreams }: SocialDeps) {
  if (upstreams.xApi !== undefined) return upstreams.xApi
  throw notConfigured('This server has no token for the social network: set AUSPEX_X_BEARER_TOKEN.')
}

/** A query that the network does not understand is an error of the caller. */
function refuseQuery(error: unknown): never {
  if (error instanceof UpstreamError && error.status === 400) {
    throw badRequest(`Invalid q: the network does not understand it: ${error.said}`)
  }
  throw error
}

const presentNewest = (found: XPosts, max: number): Post[] =>
  [...found.posts]
    .sort((a, b) => b.createdMs - a.createdMs)
    .slice(0, max)
    .map((post) => presentPost(post, found))
