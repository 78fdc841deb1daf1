import type { Builder, Wallet } from '../universe/wallet.js'
import type { Api, BuilderVolume } from './context.js'
import { type Period, startOf } from './periods.js'

const DAY_SEC = 86_400

/** An app that has no name is shown under its code. */
export const titleOf = ({ name, code }: Builder): string => name || code

/** One entry per app over the whole period, the largest first. Of all time also those that never traded. */
export function rankBuilders(api: Api, period: Period): BuilderVolume[] {
  return api.builders.get(period, () => {
    const sums = new Map<Builder, BuilderVolume>()
    for (const { builder, usd, shares, users } of measureBuilders(api, period)) {
      const sum = sums.get(builder) ?? emptyVolume(builder, 0)
      sum.usd += usd
      sum.shares += shares
      for (const user of users) sum.users.add(user)
      sums.set(builder, sum)
    }
    if (period === 'ALL') {
      for (const builder of api.universe.builders)
        if (!sums.has(builder)) sums.set(builder, emptyVolume(builder, 0))
    }
    return [...sums.values()].sort(byVolume)
  })
}

type RankedDay = BuilderVolume & { rank: number }

/** The newest day first, and within a day the largest. */
export function rankBuilderDays(api: Api, period: Period): RankedDay[] {
  const sorted = measureBuilders(api, period).toSorted(
    (a, b) => b.daySec - a.daySec || byVolume(a, b),
  )
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
  ...{ builder, daySec, usd: 0, shares: 0, users: new Set() },
})

const byVolume = (a: BuilderVolume, b: BuilderVolume): number =>
  b.usd - a.usd || (a.builder.code < b.builder.code ? -1 : 1)
