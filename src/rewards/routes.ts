import type { FastifyPluginAsync } from 'fastify'
import { type Static, Type } from 'typebox'
import { V3 } from '../accounts/access.js'
import type { Clock } from '../core/clock.js'
import { badRequest } from '../core/errors.js'
import { parseUtcDay, utcDay } from '../core/unix-time.js'
import { type AnswerTools, defineAnswer } from '../http/answer.js'
import { type Endpoint, endpointRoutes } from '../http/endpoint.js'
import { Address, ConditionId } from '../http/parameters.js'
import { errorReply } from '../lib/error-reply.js'
import type { Platform } from '../platform.js'
import type { ClobClient } from '../upstreams/clob/client.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { presentRebates, presentRewards } from './present.js'
import { readRebates } from './rebates.js'
import { RewardPages } from './reward-pages.js'
import { RebateQuery, RebateReply, RewardQuery, RewardReply } from './schemas.js'

const CACHE_MS = 60_000

const DESCRIPTION = `The platform's own page, passed on as it is and asked for again after a minute. While its order
book does not answer, the last copy is shown with \`stale\`, and without a copy the answer is 502.`

const REBATES_DESCRIPTION = `Asked of the platform at each call. It keeps rebates by the key that signs orders: for the address
of a wallet that is a contract it has none, and the answer says so with a \`hint\`.`

const LOST = { 502: errorReply("The platform's order book does not answer, and there is no copy") }

export const rewardRoutes = (platform: Platform, { clob }: Pick<Upstreams, 'clob'>): FastifyPluginAsync =>
  endpointRoutes(createRewardEndpoints(clob, platform.clock))(platform)

function createRewardEndpoints(clob: ClobClient, clock: Clock): Endpoint[] {
  const pages = new RewardPages(clob, clock)
  const common = {
    tag: 'rewards',
    access: V3,
    dependsOnChain: false,
    cacheMs: CACHE_MS,
    description: DESCRIPTION,
    query: RewardQuery,
    reply: RewardReply,
  }
  return [
    defineAnswer({
      ...common,
      path: '/v3/rewards/markets',
      operationId: 'listRewardMarkets',
      summary: 'Markets that pay rewards for resting orders',
      errors: LOST,
      answer: async (tools, input) =>
        presentRewards('reward_market_config', await pages.getList(toPage(tools, input))),
    }),
    defineAnswer({
      ...common,
      path: '/v3/rewards/markets/:condition_id',
      operationId: 'getRewardMarket',
      summary: 'What one market pays for resting orders',
      params: Type.Object({ condition_id: ConditionId }),
      errors: { ...LOST, 404: errorReply('The platform has no such market') },
      answer: async (tools, { condition_id, ...input }) =>
        presentRewards(
          'reward_market_config_detail',
          await pages.getMarket(condition_id, toPage(tools, input)),
        ),
    }),
    defineAnswer({
      path: '/v3/wallets/:address/rebates',
      operationId: 'listWalletRebates',
      summary: 'Fees that a maker got back on a day',
      description: REBATES_DESCRIPTION,
      tag: 'rewards',
      access: V3,
      dependsOnChain: false,
      params: Type.Object({ address: Address }),
      query: RebateQuery,
      reply: RebateReply,
      errors: { 502: errorReply("The platform's order book does not answer") },
      answer: async ({ caller, nowMs }, { address, date = utcDay(nowMs) }) => {
        if (parseUtcDay(date) === undefined)
          throw badRequest('Invalid date: there is no such day; leave out `date` for today')
        const request = { date, address, accountId: caller.accountId }
        return presentRebates(address, date, await readRebates(clob, request))
      },
    }),
  ]
}

const toPage = ({ caller }: AnswerTools, query: Static<typeof RewardQuery>) => ({
  sponsored: query.sponsored,
  nextCursor: query.next_cursor,
  accountId: caller.accountId,
})
