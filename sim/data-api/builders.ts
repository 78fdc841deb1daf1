import type { Builder, Wallet } from '../universe/wallet.js'
import type { Api, BuilderVolume } from './context.js'
import { type Period, startOf } from './periods.js'

const DAY_SEC = 86_400

/** An app that has no name is shown under its code. */
export const titleOf = ({ name, code }: Builder): string => name || code

/** One entry per app over the whole period, the largest first. Of all time also those that never traded. */
export function rankBuilders(api: Api, period: Period): BuilderVolume[] {
  return api.builders.get(period, () => {
    const sums = sumUp(measureBuilders(api, period), () => 0)
    const idle = period === 'ALL' ? new Set(api.universe.builders) : new Set<Builder>()
    for (const { builder } of sums) idle.delete(builder)
    return [...sums, ...[...idle].map((builder) => emptyVolume(builder, 0))].sort(byVolume)
  })
}

type RankedBucket = BuilderVolume & { rank: number }

/** The newest day first, and within a day the largest. */
export const rankBuilderDays = (api: Api, period: Period): RankedBucket[] =>
  rankWithin(measureBuilders(api, period))

const BUCKET_STARTS = {
  day: (date: Date) => date.getTime(),
  /** Weeks begin on Mondays. */
  week: (date: Date) => date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_SEC * 1000,
  month: (date: Date) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
  all: (date: Date) => Date.UTC(date.getUTCFullYear(), 0),
}

/** The same for days, weeks, months or years of the calendar, of all time. */
export function rankBuilderBuckets(api: Api, interval: keyof typeof BUCKET_STARTS): RankedBucket[] {
  const startOfBucket = (daySec: number) => BUCKET_STARTS[interval](new Date(daySec * 1000)) / 1000
  return rankWithin(sumUp(measureBuilders(api, 'ALL'), startOfBucket))
}

/** Adds the days of a bucket up, app by app. */
function sumUp(volumes: readonly BuilderVolume[], bucketOf: (daySec: number) => number): BuilderVolume[] {
  const sums = new Map<string, BuilderVolume>()
  for (const { builder, daySec, usd, shares, users } of volumes) {
    const bucketSec = bucketOf(daySec)
    const key = `${builder.code} ${bucketSec}`
    const sum = sums.get(key) ?? emptyVolume(builder, bucketSec)
    sum.usd += usd
    sum.shares += shares
    for (const user of users) sum.users.add(user)
    sums.set(key, sum)
  }
  return [...sums.values()]
}

function rankWithin(volumes: readonly BuilderVolume[]): RankedBucket[] {
  const sorted = volumes.toSorted((a, b) => b.daySec - a.daySec || byVolume(a, b))
  let rank = 0
  return sorted.map((volume, index) => {
    rank = sorted[index - 1]?.daySec === volume.daySec ? rank + 1 : 1
    return { ...volume, rank }
  })
}

/** One entry per app and UTC day in the period. */
function measureBuilders(api: Api, period: Period): BuilderVolume[] {
  return api.builders.get(`${period} days`, () => {
    const { matches } = api.universe.settledActs
    const sinceSec = startOf(api.universe, period) / 1000
    const volumes = new Map<string, BuilderVolume>()
    for (let index = matches.length - 1; index >= 0; index--) {
      const settled = matches[index]
      if (settled === undefined || settled.block.timestampSec < sinceSec) break
      const { act } = settled.tx
      if (act.kind !== 'match') continue
      const daySec = Math.floor(settled.block.timestampSec / DAY_SEC) * DAY_SEC
      for (const { order, usd, shares } of [act.taker, ...act.makers]) {
        const { builder } = order.wallet
        if (builder !== undefined) add(volumes, builder, daySec, usd, shares, order.wallet)
      }
    }
    return [...volumes.values()]
  })
}

function add(
  volumes: Map<string, BuilderVolume>,
  builder: Builder,
  daySec: number,
  usd: number,
  shares: number,
  user: Wallet,
): void {
  const key = `${builder.code} ${daySec}`
  const volume = volumes.get(key) ?? emptyVolume(builder, daySec)
  volume.usd += usd
  volume.shares += shares
  volume.users.add(user)
  volumes.set(key, volume)
}

const emptyVolume = (builder: Builder, daySec: number): BuilderVolume => ({
  builder,
  daySec,
  usd: 0,
  shares: 0,
  users: new Set(),
})

const byVolume = (a: BuilderVolume, b: BuilderVolume): number =>
  b.usd - a.usd || (a.builder.code < b.builder.code ? -1 : 1)
