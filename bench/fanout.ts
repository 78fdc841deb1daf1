import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createReceivers, makeTrade, type ServerReport, SOCKETS } from './fanout/workload.js'
import type { Bench, Figures } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { percentile, showBound } from './lib/compare.js'
import { insertKeys } from './lib/processes.js'
import { tidy, tidyLater } from './lib/tidy.js'

const ROUNDS = 5
const EVENTS = 400
const EVENTS_PER_SECOND = 2_000
const CALM_EVENTS = 750
const CALM_EVENTS_PER_SECOND = 500
const COALESCING_MS_MAX = 5
const LATENCY_MS_MAX = 50
const IDLE_KB_MAX = 25

const receiversOf = createReceivers()
const countDeliveries = (events: number): number =>
  Array.from({ length: events }, (_, index) => receiversOf(makeTrade(index, 0)).length).reduce(
    (sum, count) => sum + count,
  )

/** A process of this bench, and the answers to what it is asked. */
class Part {
  readonly #child: ChildProcess

  constructor(script: string, args: string[] = []) {
    const path = join(import.meta.dirname, `${script}.js`)
    this.#child = fork(path, args, { execArgv: ['--expose-gc'] })
    tidyLater(async () => void this.#child.kill())
  }

  async next<T>(): Promise<T> {
    const [answer] = await once(this.#child, 'message')
    return answer as T
  }

  async ask<T>(request: object | string): Promise<T> {
    const answer = this.next<T>()
    this.#child.send(request)
    return await answer
  }

  send(request: object): void {
    this.#child.send(request)
  }
}

type Received = { frames: number; latenciesMs: number[] }
type Side = { server: Part; receivers: Part }
type Round = ServerReport & Received

export const fanout: Bench = {
  name: 'fanout',
  promise: 'events to 1,000 sockets with filters, against bare ws sending the same bytes to the same sockets',
  ratioMin: 3,
  unit: 'deliveries per CPU second',
  async prepare() {
    let key = ''
    const postgres = await BenchServer.start()
    const { socketDir, database } = await postgres.keepDatabase('fanout_', 'fanout', async (pool) => {
      key = (await insertKeys(pool, 1))[0] ?? ''
    })
    const serverArgs = [socketDir, database]
    return {
      run: async (onRound) => {
        onRound('opening sockets')
        const ours = await openSide('fanout/ours', serverArgs, key)
        const bare = await openSide('yardsticks/bare-ws', [], key)
        const speeds = { ours: [] as number[], yardstick: [] as number[] }
        const delaysMs: number[] = []
        for (let round = 0; round <= ROUNDS; round++) {
          onRound(round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`)
          const mine = await runRound(ours, EVENTS, EVENTS_PER_SECOND)
          const plain = await runRound(bare, EVENTS, EVENTS_PER_SECOND)
          if (round === 0) continue
          speeds.ours.push(mine.frames / mine.cpuSeconds)
          speeds.yardstick.push(plain.frames / plain.cpuSeconds)
          delaysMs.push(...mine.delaysMs)
        }
        onRound('measuring latency and memory')
        const calm = await runRound(ours, CALM_EVENTS, CALM_EVENTS_PER_SECOND)
        const plain = await runRound(bare, CALM_EVENTS, CALM_EVENTS_PER_SECOND)
        const idleKb = await measureIdle(serverArgs, key)
        const latencies = [calm.latenciesMs, plain.latenciesMs] as const
        return { ...speeds, figures: showFigures(delaysMs, latencies, idleKb) }
      },
      close: tidy,
    }
  },
}

async function openSide(script: string, args: string[], key: string): Promise<Side> {
  const [server, receivers] = [new Part(script, args), new Part('fanout/receivers')]
  const { port } = await server.next<{ port: number }>()
  await receivers.ask({ port, key, subscribes: true })
  return { server, receivers }
}

/** Publishes, and waits until every socket has what it should. */
async function runRound({ server, receivers }: Side, count: number, perSecond: number): Promise<Round> {
  const received = receivers.ask<Received>({ expect: countDeliveries(count) })
  server.send({ count, perSecond })
  const { frames, latenciesMs } = await received
  return { ...(await server.ask<ServerReport>({ report: true })), frames, latenciesMs }
}

/** What a connection without subscriptions adds to the memory of the process. */
async function measureIdle(serverArgs: string[], key: string): Promise<number> {
  const [server, receivers] = [new Part('fanout/ours', serverArgs), new Part('fanout/receivers')]
  const { port } = await server.next<{ port: number }>()
  const before = await server.ask<ServerReport>({ report: true })
  await receivers.ask({ port, key, subscribes: false })
  const after = await server.ask<ServerReport>({ report: true })
  // A process that has just started has room in its heap, which would hide what objects take.
  const resident = after.residentBytes - before.residentBytes
  const objects = after.objectBytes - before.objectBytes
  return Math.max(resident, objects) / SOCKETS / 1024
}

function showFigures(
  delaysMs: number[],
  [ours, bare]: readonly [number[], number[]],
  idleKb: number,
): Figures {
  const calm = `${CALM_EVENTS_PER_SECOND} events/s, 99 of 100`
  return {
    'delay before the write, 99 of 100, while the process runs': showBound(
      percentile(delaysMs, 0.99),
      COALESCING_MS_MAX,
      ' ms',
    ),
    [`publish to client at ${calm}`]: showBound(percentile(ours, 0.99), LATENCY_MS_MAX, ' ms'),
    [`the same with bare ws at ${calm}`]: `${percentile(bare, 0.99).toFixed(0)} ms`,
    'memory of an idle connection': showBound(idleKb, IDLE_KB_MAX, ' KB'),
  }
}
