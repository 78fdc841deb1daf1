import type { FollowWorld } from '../src/chain/follow/test-follow.js'
import type { BatchLimits } from '../src/chain/read/batches.js'
import type { TestDatabase } from './database.js'
import { forkChild } from './processes.js'
import { until } from './until.js'

export type Ingester = {
  /** Resolves when the process has reported so many times that it leads, stands by, or has booked a batch. */
  until(report: Report, times?: number): Promise<void>
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>
}

type Report = 'leading' | 'standby' | 'booked'

type IngesterOptions = {
  pollMs?: number
  batchLimits?: BatchLimits
  /** Called for every batch that it has booked or taken back. */
  onBooked?: () => void
}

/** A process that books the chain of the world into the database whenever no other does. */
export function startIngester(
  { host, universe }: FollowWorld,
  { target }: TestDatabase,
  { onBooked, ...options }: IngesterOptions = {},
): Ingester {
  const { url, wsUrl } = host
  const startBlock = universe.chain.firstNumber
  const argument = { target, url, wsUrl, startBlock, ...options }
  const { child, isOver, kill } = forkChild('ingest-child.js', argument)
  const reports: unknown[] = []
  child.on('message', (report) => {
    reports.push(report)
    if (report === 'booked') onBooked?.()
  })
  const hasReported = (report: Report, times: number) =>
    reports.filter((each) => each === report).length >= times
  return {
    until: async (report, times = 1) => {
      await until(() => hasReported(report, times) || isOver())
      if (!hasReported(report, times)) throw new Error('the process ended unasked')
    },
    kill,
  }
}
