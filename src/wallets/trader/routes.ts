import { Type } from 'typebox'
import { STANDARD } from '../../accounts/access.js'
import { toDecimal } from '../../core/money.js'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { Address, oneOf } from '../../http/parameters.js'
import { Decimal, UnixTime } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import { selectWalletId } from '../../lookups/ids.js'
import { selectSeqRange } from '../../lookups/seq-range.js'
import { selectPnlBuckets, selectWalletSummaries } from '../queries.js'
import { WalletPath } from '../schemas.js'
import type { TraderProfiles } from './profiles.js'
import { COUNTED_MAX, selectTraderFigures, selectWalletUse } from './queries.js'

export type TraderDeps = { profiles: TraderProfiles }

const Count = (description: string) => Type.Integer({ minimum: 0, description })
const Text = (description: string) => Type.String({ description })

const access = { ...STANDARD, cost: 'page' } as const

const walletUse = defineAnswer({
  path: '/v1/wallets/:address',
  operationId: 'getWalletUse',
  summary: 'How a wallet was used',
  description: `What a wallet did, over all time, without combos. Of transfers and deposits the newest ${COUNTED_MAX} are counted. A wallet that never did anything has zeros.`,
  tag: 'wallets',
  access,
  hasElapsed: false,
  params: WalletPath,
  reply: namedObject('WalletUse', {
    wallet: Type.String(),
    activity: namedObject('WalletUseCounts', {
      last_active: UnixTime('Unix seconds of its newest fill or change of a position; 0: none'),
      trade_count: Count('fills of its orders'),
      trade_volume_usd: Decimal('dollars of these fills'),
      transfer_count: Count('moves of outcome tokens beside trading, to it and from it'),
      deposit_count: Count('deposits of money through a ramp of the platform'),
      deposit_volume_usd: Decimal('dollars of these deposits'),
    }),
  }),
  answer: async ({ sql }, { address }) => {
    const wallet = await selectWalletId(sql, address)
    const use = wallet === undefined ? undefined : await selectWalletUse(sql, wallet)
    return {
      wallet: address,
      activity: {
        last_active: use?.lastSec ?? 0,
        trade_count: use?.fills ?? 0,
        trade_volume_usd: toDecimal(use?.volume ?? 0n),
        transfer_count: use?.transfers ?? 0,
        deposit_count: use?.deposits ?? 0,
        deposit_volume_usd: toDecimal(use?.deposited ?? 0n),
      },
    }
  },
})

const TraderPath = Type.Object({ wallet: Address })

const trader = defineAnswer({
  path: '/v1/trader/:wallet',
  operationId: 'getTrader',
  summary: 'Who a trader is, and how it does',
  description:
    'The public profile of a wallet, and what its positions add up to, without combos. The profile is asked of the platform and kept for an hour; while the platform does not answer, all of it but a name that was seen before is empty.',
  tag: 'wallets',
  access,
  hasElapsed: false,
  params: TraderPath,
  reply: namedObject('Trader', {
    wallet: Type.String(),
    name: Text('its public name; empty: it shows none'),
    pseudonym: Text('the name that the platform made up; empty: it has no profile'),
    profileSlug: Text("the end of the address of its page: `@name`, or the wallet's address"),
    profileImage: Text('the address of an image; empty: none'),
    joinDate: Text('ISO 8601, when the profile was made; empty: it has none'),
    trades: Count('fills of its orders'),
    marketsTraded: Count('outcome tokens that it ever held'),
    views: Count('0: the platform alone counts them, and does not publish them'),
    largestWin: Decimal('dollars: what its best position realized'),
    totalVolume: Decimal('dollars of its fills'),
    totalPnl: Decimal('both below together'),
    realizedPnl: Decimal('dollars'),
    unrealizedPnl: Decimal('what the shares that it bought and holds would earn at the prices of now'),
    positionValue: Decimal('dollars that the shares that it holds are worth at the prices of now'),
  }),
  answer: async ({ sql, caller, deps }: AnswerTools<TraderDeps>, { wallet }) => {
    const id = await selectWalletId(sql, wallet)
    const [profile, [summary], figures] = await Promise.all([
      deps.profiles.read(sql, wallet, caller.accountId),
      selectWalletSummaries(sql, 'market', [wallet]),
      id === undefined ? undefined : selectTraderFigures(sql, id),
    ])
    const { realized = 0n, unrealized = 0n, positions = 0 } = summary ?? {}
    return {
      wallet,
      ...profile,
      profileSlug: profile.name === '' ? wallet : `@${profile.name}`,
      trades: figures?.fills ?? 0,
      marketsTraded: positions,
      views: 0,
      largestWin: toDecimal(figures?.largestWin ?? 0n),
      totalVolume: toDecimal(figures?.volume ?? 0n),
      totalPnl: toDecimal(realized + unrealized),
      realizedPnl: toDecimal(realized),
      unrealizedPnl: toDecimal(unrealized),
      positionValue: toDecimal(figures?.positionValue ?? 0n),
    }
  },
})

const DAY_SEC = 24 * 60 * 60

const SERIES = {
  '1D': { group: 'hour', days: 1 },
  '1W': { group: 'hour', days: 7 },
  '1M': { group: 'day', days: 30 },
  ALL: { group: 'day', days: undefined },
} as const

const PERIODS = Object.keys(SERIES) as (keyof typeof SERIES)[]
const POINTS_MAX = 1_000

const traderPnl = defineAnswer({
  path: '/v1/trader/:wallet/pnl',
  operationId: 'getTraderPnl',
  summary: 'Realized profit of a trader over time',
  description: `What a wallet had realized by the end of each hour (\`1D\`, \`1W\`) or UTC day (\`1M\`, \`ALL\`) in which it realized something, the oldest first, without combos; at most the last ${POINTS_MAX}.`,
  tag: 'wallets',
  access,
  hasElapsed: false,
  narrowBy: ['period'],
  params: TraderPath,
  query: Type.Object({
    period: oneOf(PERIODS, 'how far back; in any letter case', {
      default: 'ALL',
      format: 'any-case-capitals',
    }),
  }),
  reply: namedObject('TraderPnl', {
    wallet: Type.String(),
    period: Type.String({ enum: PERIODS }),
    series: Type.Array(
      namedObject('TraderPnlPoint', {
        timestamp: UnixTime('Unix seconds: when the hour or day begins'),
        pnl: Decimal('dollars that were realized since the beginning of the history'),
      }),
    ),
    count: Count('points'),
  }),
  answer: async ({ sql, nowMs }, { wallet, period }) => {
    const { group, days } = SERIES[period]
    const after = days === undefined ? {} : { after: Math.floor(nowMs / 1000) - days * DAY_SEC }
    const [id, range] = [await selectWalletId(sql, wallet), await selectSeqRange(sql, after)]
    const isEmpty = id === undefined || range === undefined
    const latest = isEmpty ? [] : await selectPnlBuckets(sql, id, group, range, POINTS_MAX)
    const [summary] = isEmpty ? [] : await selectWalletSummaries(sql, 'market', [wallet])
    // Backwards from what is realized now: what came before the window counts without being read.
    let realized = summary?.realized ?? 0n
    const series = latest.map((bucket) => {
      const point = { timestamp: bucket.startSec, pnl: toDecimal(realized) }
      realized -= bucket.realized
      return point
    })
    return { wallet, period, series: series.reverse(), count: series.length }
  },
})

export const traderRoutes = endpointRoutes<TraderDeps>([walletUse, trader, traderPnl])
