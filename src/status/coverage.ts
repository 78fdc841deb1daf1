import type { BlockTime, KindCoverage } from '../chain/coverage.js'
import type { StateRow } from '../chain/queries.js'
import { presentAge } from '../core/clock.js'
import type { TickCoverage } from '../prices/archive/coverage.js'
import { feedOf, STREAMS } from '../prices/streams.js'

export function presentCoverage(state: StateRow, kinds: readonly KindCoverage[], nowMs: number) {
  const { block, blockTime } = state
  return {
    head: block === null ? null : presentBlockTime({ block, timeSec: blockTime ?? undefined }),
    head_age_seconds: presentAge(blockTime ?? 0, nowMs),
    data: kinds.map(({ kind, from, to, holes }) => ({
      kind,
      from: from === undefined ? null : presentBlockTime(from),
      to: to === undefined ? null : presentBlockTime(to),
      is_complete: from !== undefined && holes.length === 0,
      holes: holes.map(({ fromBlock, toBlock }) => ({ from_block: fromBlock, to_block: toBlock })),
    })),
  }
}

const presentBlockTime = ({ block, timeSec }: BlockTime) => ({
  block,
  time: timeSec === undefined ? null : presentTime(timeSec),
})

export const presentTicks = ({ streams, gaps }: TickCoverage) => ({
  streams: streams.map(({ stream: { symbol, source, kind }, fromSec, hours }) => ({
    feed: feedOf(symbol),
    source,
    price_source: kind,
    from: presentTime(fromSec),
    hours: hours.map(({ startSec, seconds, missing }) => ({
      start: presentTime(startSec),
      seconds,
      missing,
    })),
  })),
  gaps: gaps.map(({ upstream, stream: id, fromSec, toSec, reason }) => {
    const stream = id === null ? undefined : STREAMS.get(id)
    return {
      upstream,
      feed: stream === undefined ? null : feedOf(stream.symbol),
      price_source: stream?.kind ?? null,
      from: presentTime(fromSec),
      to: presentTime(toSec),
      reason,
    }
  }),
})

const presentTime = (sec: number): string => new Date(sec * 1000).toISOString()
