import { toAmount } from '../markets/amounts.js'
import { rankWallets } from './boards.js'
import { rankBuilderDays, rankBuilders, titleOf } from './builders.js'
import type { BuilderVolume, Route, Standing } from './context.js'
import { CATEGORIES, PERIODS } from './periods.js'
import { readChoice, readLimit, readOffset, readOptionalUser } from './query.js'

const LIMIT = 25
const LIMIT_MAX = 50
const OFFSET_MAX = 1_000

export const leaderboard: Route = (api, query) => {
  const category = readChoice(query, 'category', CATEGORIES)
  const period = readChoice(query, 'time_period', PERIODS)
  const order = readChoice(query, 'order_by', ['PNL', 'VOL'])
  const limit = readLimit(query, LIMIT, LIMIT_MAX)
  const offset = readOffset(query, OFFSET_MAX)
  const user = readOptionalUser(api.universe, query)
  const userName = query.get('user_name')?.toLowerCase()
  return rankWallets(api, period, category, order)
    .map((standing, index) => showStanding(standing, index + 1))
    .filter(({ proxyWallet }) => user === undefined || proxyWallet === user.wallet?.address)
    .filter((row) => userName === undefined || row.userName.toLowerCase() === userName)
    .slice(offset, offset + limit)
}

/** Ranks are texts here. */
const showStanding = ({ wallet, pnl, volumeUsd }: Standing, rank: number) => ({
  rank: String(rank),
  proxyWallet: wallet.address,
  userName: wallet.name === '' ? wallet.pseudonym : wallet.name,
  vol: volumeUsd,
  pnl,
  profileImage: wallet.profileImage,
  xUsername: wallet.xUsername,
  verifiedBadge: wallet.verified,
})

export const buildersLeaderboard: Route = (api, query) => {
  const period = readChoice(query, 'time_period', PERIODS)
  const limit = readLimit(query, LIMIT, LIMIT_MAX)
  const offset = readOffset(query, OFFSET_MAX)
  return rankBuilders(api, period)
    .map((volume, index) => showBuilder(volume, index + 1))
    .slice(offset, offset + limit)
}

/** One row per app and day. */
export const buildersVolume: Route = (api, query) => {
  const period = readChoice(query, 'time_period', PERIODS)
  return rankBuilderDays(api, period).map((volume) => ({
    dt: new Date(volume.daySec * 1000).toISOString(),
    ...showBuilder(volume, volume.rank),
  }))
}

const showBuilder = ({ builder, usd, users }: BuilderVolume, rank: number) => ({
  rank: String(rank),
  builder: titleOf(builder),
  builderCode: builder.code,
  volume: toAmount(usd),
  activeUsers: users.size,
  verified: builder.verified,
  builderLogo: builder.logo,
})
