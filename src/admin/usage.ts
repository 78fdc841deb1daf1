import { utcDay } from '../core/unix-time.js'
import type { Sql } from '../store/connection.js'

const DAY_MS = 24 * 60 * 60_000

/** What usage can be summed by, in the order of columns. */
export const USAGE_DIMENSIONS = ['account', 'key', 'day', 'family'] as const
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number]

const COLUMNS = { account: 'account_id', key: 'key_id', day: 'day', family: 'family' } as const

/** `account,day` in any order; `undefined`: the text has something else in it. */
export function readDimensions(text: string): UsageDimension[] | undefined {
  const given = text.split(',').map((part) => part.trim())
  const by = USAGE_DIMENSIONS.filter((dimension) => given.includes(dimension))
  return by.length === given.length ? by : undefined
}

export type UsageQuery = {
  accountId?: number | undefined
  keyId?: number | undefined
  family?: string | undefined
  /** The last UTC days, today included. */
  days: number
  by: readonly UsageDimension[]
  nowMs: number
}

/** Sums; of the first four those that were summed by are there. */
export type UsageSum = {
  accountId?: number
  keyId?: number
  day?: Date
  family?: string
  requests: number
  bytes: number
}

/** Usage by what is asked for, in that order. Indexes: usage_days_pkey for one account, usage_days_day for all. */
export function selectUsageSums(
  sql: Sql,
  { accountId, keyId, family, days, by, nowMs }: UsageQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<UsageSum[]> {
  const columns = sql(by.map((dimension) => COLUMNS[dimension]))
  return sql<UsageSum[]>`
    select ${columns}, sum(requests)::float8 as requests, sum(bytes)::float8 as bytes
      from usage_days
     where day > ${utcDay(nowMs - days * DAY_MS)}
       ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
       ${keyId === undefined ? sql`` : sql`and key_id = ${keyId}`}
       ${family === undefined ? sql`` : sql`and family = ${family}`}
     group by ${columns}
     order by ${columns}
     limit ${limit} offset ${offset}`
}
