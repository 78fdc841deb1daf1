import { presentAge } from '../status/present.js'
import type { BlockTime, KindCoverage } from './coverage.js'
import type { StateRow } from './queries.js'

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
  time: timeSec === undefined ? null : new Date(timeSec * 1000).toISOString(),
})
