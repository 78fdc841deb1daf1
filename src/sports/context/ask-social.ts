import { ApiError } from '../../core/errors.js'
import { startTimeout, TimeoutError } from '../../lib/timeout.js'
import type { Post } from '../../lookups/posts/post.js'
import { searchPosts, waitForSocialRate } from '../../lookups/posts/search-posts.js'
import type { SportsTools } from '../sources.js'
import type { GameQuery } from './game-queries.js'
import { type Found, type Settled, settleQuery, sumUp } from './settle.js'

type AskSocial = { queries: readonly GameQuery[]; postsMax: number; leftMs: number }

/** One query a second, each without waiting for the answer to the one before. Each costs one unit of the quota. */
export async function askSocial(tools: SportsTools, options: AskSocial) {
  const refusal = refusePlan(tools)
  const settled = refusal === undefined ? await searchRateLimited(tools, options) : []
  return {
    ...(refusal ?? sumUp(settled)),
    result_count: settled.reduce((sum, { items }) => sum + items.length, 0),
    queries: settled.map(({ items, ...query }) => ({ ...query, tweets: items })),
  }
}

/** A plan without social requests, or a server without the network: no query waits for the rate limit then. */
function refusePlan({ deps, caller }: SportsTools): Settled | undefined {
  if (caller.plan.socialPerMonth === 0)
    return { status: 'not_available', error: 'Social search needs a paid plan.' }
  if (deps.upstreams.xApi === undefined)
    return { status: 'not_available', error: 'Social search is not set up on this server.' }
  return undefined
}

async function searchRateLimited(tools: SportsTools, { queries, postsMax, leftMs }: AskSocial) {
  const waiting = new AbortController()
  const stop = startTimeout(leftMs, () => waiting.abort(new TimeoutError('No turn in time.')))
  /** After a refusal no further query is sent, nor counted. */
  let refused: ApiError | undefined
  const claimSlot = async (): Promise<void> => {
    if (refused !== undefined) throw refused
    await waitForSocialRate(tools, waiting.signal)
  }
  const search = async (query: string): Promise<Found<Post>> => {
    try {
      const items = await searchPosts(tools, { query, max: postsMax })
      return { items, status: 'ok' }
    } catch (error) {
      if (error instanceof ApiError && error.status === 429) refused = error
      throw error
    }
  }
  let slot: Promise<void> = Promise.resolve()
  try {
    return await Promise.all(
      queries.map((query) => {
        slot = slot.then(claimSlot)
        const found = slot.then(() => search(query.query))
        return settleQuery(query, found, leftMs)
      }),
    )
  } finally {
    stop()
  }
}
