import { addAmounts, isoDate, toAmount } from '../markets/amounts.js'
import { isBet, namesOf } from '../markets/names.js'
import { readInt } from '../server/query.js'
import { type BoardOrder, rankWallets, rankWins } from './boards.js'
import { rankBuilderBuckets, rankBuilders, titleOf } from './builders.js'
import type { Api, BuilderVolume, Route, Standing, Win } from './context.js'
import { CATEGORIES, type Category, PERIODS, type Period } from './periods.js'
import { BadRequest, readChoice, readOptionalUser } from './query.js'
import { pageOfList } from './v2-page.js'

const BUCKETS = 30
const BUCKETS_MAX = 90

const rule = (list: string) => ({ list, usual: 25, max: 1000 })

/** A board, or both ranks of one wallet. */
export const leaderboardV2: Route = (api, query) => {
  const user = readOptionalUser(api.universe, query)
  if (user === undefined) return pageOfList(rule('leaderboard'), query, (bound) => listBoard(api, bound))
  const { period, category } = readBoard(query)
  const ranks = (order: BoardOrder) => {
    const board = rankWallets(api, period, category, order)
    const index = board.findIndex(({ wallet }) => wallet === user.wallet)
    return { standing: board[index], rank: index + 1 }
  }
  const { standing, rank } = ranks('PNL')
  if (standing === undefined) return { data: null }
  return {
    data: { ...showStanding(standing), rank_pnl: rank, rank_volume: ranks('VOL').rank },
  }
}

function listBoard(api: Api, query: URLSearchParams) {
  const { period, category } = readBoard(query)
  const order = readChoice(query, 'sort_by', ['PNL', 'VOLUME']) === 'PNL' ? 'PNL' : 'VOL'
  return rankWallets(api, period, category, order).map((standing, index) => ({
    rank: index + 1,
    ...showStanding(standing),
  }))
}

const readBoard = (query: URLSearchParams): { period: Period; category: Category } => ({
  period: readChoice(query, 'time_period', PERIODS),
  category: readChoice(query, 'category', CATEGORIES),
})

/** Volume counts shares here. */
const showStanding = ({ wallet, pnl, volumeShares }: Standing) => ({
  user_id: wallet.address,
  user_name: wallet.name,
  profile_image: wallet.profileImage,
  x_username: wallet.xUsername,
  verified: wallet.verified,
  pnl,
  volume: volumeShares,
})

export const biggestWinners: Route = (api, query) =>
  pageOfList(rule('biggest-winners'), query, (bound) => {
    const { period, category } = readBoard(bound)
    return rankWins(api, period, category).map((win, index) => ({
      win_rank: index + 1,
      ...showWin(win),
    }))
  })

function showWin({ wallet, token, pnl, costUsd, resolvedMs }: Win) {
  const { conditionId, title, eventId, eventSlug } = namesOf(token)
  return {
    kind: isBet(token.of) ? 'combo' : 'market',
    user_id: wallet.address,
    user_name: wallet.name,
    profile_image: wallet.profileImage,
    pnl,
    initial_value: costUsd,
    final_value: addAmounts(costUsd, pnl),
    resolved_at: Math.floor(resolvedMs / 1000),
    condition_id: conditionId,
    position_id: token.decimal,
    event_id: Number(eventId),
    event_slug: eventSlug,
    event_title: title,
  }
}

export const buildersLeaderboardV2: Route = (api, query) =>
  pageOfList(rule('builders-leaderboard'), query, (bound) =>
    rankBuilders(api, readChoice(bound, 'time_period', PERIODS)).map((volume, index) => ({
      rank: index + 1,
      ...showBuilder(volume),
    })),
  )

/** One row per app and calendar bucket; the limit counts buckets. */
export const buildersVolumeV2: Route = (api, query) => {
  const interval = readChoice(query, 'interval', ['day', 'week', 'month', 'all'])
  const limit = readInt(query, 'limit') ?? BUCKETS
  if (!(limit >= 1 && limit <= BUCKETS_MAX)) throw new BadRequest("invalid query param 'limit'")
  const rows = rankBuilderBuckets(api, interval)
  const buckets = new Set([...new Set(rows.map(({ daySec }) => daySec))].slice(0, limit))
  return {
    data: rows
      .filter(({ daySec }) => buckets.has(daySec))
      .map((volume) => ({
        date: isoDate(volume.daySec * 1000),
        rank: volume.rank,
        ...showBuilder(volume),
      })),
  }
}

const showBuilder = ({ builder, shares, users }: BuilderVolume) => ({
  builder_name: titleOf(builder),
  builder_code: builder.code,
  profile_image: builder.logo,
  verified: builder.verified,
  volume: toAmount(shares),
  active_users: users.size,
})
