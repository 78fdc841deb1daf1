import { showAccount, showKey } from '../../accounts/accounts.js'
import type { Bucket } from '../../accounts/buckets.js'
import type { Caller } from '../../accounts/key-ring.js'
import type { Balance } from '../../accounts/limiter.js'
import { monthEnd } from '../../accounts/usage-meter.js'
import { addOperationUsage, NOTHING_USED, type OperationUsage } from '../../accounts/usage-queries.js'
import { nextUtcDay, utcDay } from '../../core/unix-time.js'
import type { SessionKind } from '../../sessions/socket-queries.js'
import type { Holdings, OwnKey } from './queries.js'

type Owner = Bucket['counts']
type Unit = 'requests' | 'connections' | 'seconds' | 'keys' | 'webhooks' | 'deliveries' | 'wallets'

type Limit = {
  name: string
  unit: Unit
  counts: Owner
  limit: number | null
  used: number
  windowMs?: number
  /** Absent: it does not depend on time. */
  resetAtMs?: number | undefined
}

type LimitInput = {
  caller: Caller
  buckets: readonly (Balance & { counts: Owner })[]
  holdings: Holdings
  open: readonly { kind: SessionKind; count: number }[]
  nowMs: number
}

/** Everything that the plan of a caller limits, as it stands. */
export function presentLimits({ caller: { plan }, buckets, holdings, open, nowMs }: LimitInput) {
  const openOf = (kind: SessionKind) => open.find((row) => row.kind === kind)?.count ?? 0
  const midnightMs = nextUtcDay(nowMs)
  const account = { counts: 'account' } as const
  const connections = { ...account, unit: 'connections' } as const
  const seconds = {
    ...account,
    unit: 'seconds',
    limit: plan.socketSecondsPerDay,
    resetAtMs: midnightMs,
  } as const
  const limits: Limit[] = [
    ...buckets.map(toLimit),
    {
      ...account,
      name: 'social_month',
      unit: 'requests',
      limit: plan.socialPerMonth,
      used: holdings.social,
      resetAtMs: monthEnd(nowMs),
    },
    { ...connections, name: 'event_connections', limit: plan.eventSocketsMax, used: openOf('events') },
    {
      ...connections,
      name: 'orderbook_connections',
      limit: plan.orderbookSocketsMax,
      used: openOf('orderbook'),
    },
    { ...connections, name: 'firehose_connections', limit: plan.firehosesMax, used: openOf('firehose') },
    { ...connections, name: 'replays', limit: plan.replaysMax, used: openOf('replay') },
    { ...seconds, name: 'event_seconds', used: toSeconds(holdings.eventsMs) },
    { ...seconds, name: 'orderbook_seconds', used: toSeconds(holdings.orderbookMs) },
    { ...account, name: 'webhooks', unit: 'webhooks', limit: plan.webhooksMax, used: holdings.webhooks },
    {
      ...account,
      name: 'webhook_deliveries',
      unit: 'deliveries',
      limit: plan.webhookDeliveriesPerDay,
      used: holdings.deliveries,
      resetAtMs: midnightMs,
    },
    {
      counts: 'key',
      name: 'copy_pnl_wallets',
      unit: 'wallets',
      limit: plan.copyPnlPoolMax,
      used: holdings.poolWallets,
    },
    { ...account, name: 'api_keys', unit: 'keys', limit: plan.keysMax, used: holdings.keys },
  ]
  return limits.map((limit) => presentLimit(limit, nowMs))
}

/** What an account has open on the sockets. */
export function presentConnections({
  caller: { accountId, plan },
  holdings,
  open,
  nowMs,
}: Omit<LimitInput, 'buckets'>) {
  const presentUsage = (kind: SessionKind, limit: number | null) => {
    const count = open.find((row) => row.kind === kind)?.count ?? 0
    return { open: count, limit, remaining: limit === null ? null : Math.max(0, limit - count) }
  }
  return {
    account: showAccount(accountId),
    tier: plan.id,
    connections: {
      events: presentUsage('events', plan.eventSocketsMax),
      orderbook: presentUsage('orderbook', plan.orderbookSocketsMax),
      replay: presentUsage('replay', plan.replaysMax),
    },
    subscriptions: {
      firehose: presentUsage('firehose', plan.firehosesMax),
      filter_items_max: plan.filterItemsMax,
    },
    session_seconds: {
      events: toSeconds(holdings.eventsMs),
      orderbook: toSeconds(holdings.orderbookMs),
      limit: plan.socketSecondsPerDay,
      resets_at: new Date(nextUtcDay(nowMs)).toISOString(),
    },
  }
}

/** Of an unused window nothing comes back. */
function toLimit({
  bucket,
  counts,
  limit,
  remaining,
  windowMs,
  resetAtMs,
}: LimitInput['buckets'][number]): Limit {
  const used = limit - remaining
  return {
    name: bucket,
    unit: 'requests',
    counts,
    limit,
    used,
    windowMs,
    resetAtMs: used > 0 ? resetAtMs : undefined,
  }
}

function presentLimit({ name, unit, counts, limit, used, windowMs, resetAtMs }: Limit, nowMs: number) {
  return {
    name,
    unit,
    counts,
    limit,
    used,
    remaining: limit === null ? null : Math.max(0, limit - used),
    window_seconds: windowMs === undefined ? null : windowMs / 1000,
    resets_at: resetAtMs === undefined ? null : new Date(resetAtMs).toISOString(),
    resets_in_seconds: resetAtMs === undefined ? null : Math.max(0, Math.ceil((resetAtMs - nowMs) / 1000)),
  }
}

const toSeconds = (ms: number): number => Math.floor(ms / 1000)

export const presentOwnKey = (key: OwnKey, { keyId }: Pick<Caller, 'keyId'>) => ({
  id: showKey(key.id),
  name: key.name,
  hint: key.hint,
  scope: key.scope,
  created_at: key.createdAt.toISOString(),
  expires_at: key.expiresAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  is_current: key.id === keyId,
})

const DAY_MS = 24 * 60 * 60_000

type UsageInput = {
  days: readonly ({ day: string } & OperationUsage)[]
  operations: readonly ({ operation: string } & OperationUsage)[]
  /** How many days, the last one being that of `nowMs`. */
  count: number
  nowMs: number
}

export function presentOwnUsage({ days, operations, count, nowMs }: UsageInput) {
  const known = new Map(days.map(({ day, ...used }) => [day, used]))
  const all = Array.from({ length: count }, (_, index) => utcDay(nowMs - (count - 1 - index) * DAY_MS))
  return {
    from: all[0] ?? utcDay(nowMs),
    to: utcDay(nowMs),
    total: days.reduce(addOperationUsage, NOTHING_USED),
    days: all.map((day) => ({ day, ...(known.get(day) ?? NOTHING_USED) })),
    operations: [...operations],
  }
}
