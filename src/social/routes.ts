import type { FastifyPluginAsync } from 'fastify'
import { Type } from 'typebox'
import { SOCIAL } from '../accounts/access.js'
import { type AnswerTools, defineAnswer } from '../http/answer.js'
import { endpointRoutes } from '../http/endpoint.js'
import { errorReply } from '../lib/error-reply.js'
import { findPosts, listPosts, type SocialDeps } from '../lookups/posts/search-posts.js'
import type { Platform } from '../platform.js'
import { chooseMax, Handle, SearchQuery, SearchReply, TimelineQuery, TimelineReply } from './schemas.js'

const SEARCH_MAX = 20
const TIMELINE_MAX = 30

const COST = `Paid plans only, and one request per second and key. An answer with status 200 counts toward
the account's quota of the UTC month, everything else does not; \`X-Quota-Used\` and \`X-Quota-Limit\`
say how many were used.`

const common = { tag: 'social', access: SOCIAL, hasElapsed: false, dependsOnChain: false }

const errors = { 502: errorReply('The social network does not answer, or is not configured') }

const searchEndpoint = defineAnswer({
  ...common,
  path: '/v2/social/search',
  operationId: 'searchPosts',
  summary: 'Posts of the social network that match a query',
  description: `Posts of the last seven days, newest first. Operators: \`from:\`, \`to:\`, \`since:\`, \`until:\`,
\`min_faves:\`, \`min_retweets:\`, \`lang:\`, hashtags, "exact phrases", \`OR\`, \`-word\` and parentheses. There is
no cursor: narrow with \`since:\` and \`until:\` to go further. ${COST}`,
  query: SearchQuery,
  reply: SearchReply,
  errors,
  answer: async (tools: AnswerTools<SocialDeps>, { q: query, ...counts }) => {
    const max = chooseMax(counts, SEARCH_MAX)
    const { posts, cutAtMs } = await findPosts(tools, { query, max })
    return {
      query,
      tweets: posts,
      result_count: posts.length,
      ...(cutAtMs !== undefined && { searched_since: toIsoSeconds(cutAtMs) }),
      fetched_at: toIsoSeconds(tools.platform.clock.now()),
    }
  },
})

const timelineEndpoint = defineAnswer({
  ...common,
  path: '/v2/social/user/:handle/tweets',
  operationId: 'listUserPosts',
  summary: 'The latest posts of an account of the social network',
  description: `Posts, replies and reposts, newest first. ${COST}`,
  params: Type.Object({ handle: Handle }),
  query: TimelineQuery,
  reply: TimelineReply,
  errors: { ...errors, 404: errorReply('There is no such public account') },
  answer: async (tools: AnswerTools<SocialDeps>, { handle: text, ...counts }) => {
    const handle = text.replace(/^@/, '')
    const posts = await listPosts(tools, { handle, max: chooseMax(counts, TIMELINE_MAX) })
    return {
      handle,
      tweets: posts,
      result_count: posts.length,
      fetched_at: toIsoSeconds(tools.platform.clock.now()),
    }
  },
})

const toIsoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

export const socialRoutes =
  (platform: Platform, deps: SocialDeps): FastifyPluginAsync =>
  async (app, options) => {
    app.addHook('onSend', async ({ caller }, reply) => {
      if (caller === undefined) return
      // An answer without the headers is better than none.
      const used = await deps.socialQuota.usedBy(caller.accountId).catch(() => undefined)
      if (used === undefined) return
      reply.headers({ 'x-quota-used': used, 'x-quota-limit': caller.plan.socialPerMonth })
    })
    await endpointRoutes([searchEndpoint, timelineEndpoint])(platform, deps)(app, options)
  }
