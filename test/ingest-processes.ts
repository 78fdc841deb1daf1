import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { BatchLimits } from '../src/chain/follow/batches.js'
import type { FollowWorld } from '../src/chain/follow/test-follow.js'
import type { TestDatabase } from './database.js'
import { until } from './until.js'

const CHILD = join(import.meta.dirname, 'ingest-child.js')

export type Ingester = {
  /** Resolves when it has told so many times that it leads, waits for its turn, or has booked something. */
  until(news: News, times?: number): Promise<void>
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>
}

type News = 'leading' | 'standby' | 'booked'

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
  const child = fork(CHILD, [JSON.stringify({ target, url, wsUrl, startBlock, ...options })], {
    execArgv: [],
  })
  const kill = async () => {
    if (isOver(child)) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  onTestFinished(kill)
  const heard: unknown[] = []
  child.on('message', (news) => {
    heard.push(news)
    if (news === 'booked') onBooked?.()
  })
  const hasTold = (news: News, times: number) =>
    heard.filter((each) => each === news).length >= times
  return {
    until: async (news, times = 1) => {
      await until(() => hasTold(news, times) || isOver(child))
      if (!hasTold(news, times)) throw new Error('the process ended unasked')
    },
    kill,
  }
}

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null
