import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { simulatedEnvironment } from '../demo/simulator.js'
import type { BusEvent } from '../src/bus/event.js'
import { loadConfig } from '../src/config/config.js'
import { createLog } from '../src/lib/log.js'
import { type Service, startService } from '../src/service.js'
import type { Bench, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { percentile, showBound } from './lib/compare.js'
import { askPart, nextMessage, startPart } from './lib/parts.js'
import { insertKeys } from './lib/processes.js'
import { tidy, tidyLater } from './lib/tidy.js'
import type { Arrivals } from './webhook-latency/receiver.js'
import type { UniverseReady } from './webhook-latency/universe.js'
import { createWebhooks, WEBHOOKS } from './webhook-latency/workload.js'

const MEDIAN_MS_MAX = 250
const P99_MS_MAX = 1_000
const FILLS_PER_SECOND = 200
/** Then the universe trades about this much, see the figure of the run. */
const INTENSITY = 200
const ROUNDS = 5
const ROUND_MS = 10_000
const WARM_UP_MS = 10_000
/** An account may have half as many webhooks. */
const ACCOUNTS = 2

export const webhookLatency: Bench = {
  name: 'webhook-latency',
  promise: `from the commit of a block to the first attempts of its webhooks: half within ${MEDIAN_MS_MAX} ms, 99 of 100 within ${P99_MS_MAX} ms, with ${WEBHOOKS} webhooks and ${FILLS_PER_SECOND} fills a second`,
  ratioMin: 1,
  unit: 'medians/s',
  async prepare() {
    const universe = startPart('webhook-latency/universe', [String(INTENSITY)])
    const receiver = startPart('webhook-latency/receiver')
    const port = await nextMessage<number>(receiver)
    const known = await nextMessage<UniverseReady>(universe)
    const { service, keys } = await serve(known)
    await createWebhooks(service.url, { keys, count: WEBHOOKS, receiverPort: port, known })
    return { run: (onRound) => run(service, receiver, onRound), close: tidy }
  },
}

/**
 * The whole service in this process. A block is committed when its events are published on the bus: that is
 * the next thing that the writer does.
 */
async function serve({ upstreams, headBlock, offsetMs }: UniverseReady) {
  const server = await BenchServer.start()
  const keys: string[] = []
  const { socketDir, database } = await server.keepDatabase('latency', 'latency_', async (pool) => {
    keys.push(...(await insertKeys(pool, ACCOUNTS)))
  })
  const { AUSPEX_CHAINLINK_API_KEY: _, ...environment } = simulatedEnvironment(upstreams)
  const { config } = loadConfig({
    ...environment,
    AUSPEX_FROM_BLOCK: String(headBlock),
    PORT: '0',
    AUSPEX_SECRET_KEY: '5f'.repeat(32),
    DATABASE_URL: `postgres://auspex@localhost/${database}?host=${socketDir}`,
  })
  const log = createLog('error', process.stderr)
  const clock = { now: () => Date.now() + offsetMs }
  const service = await startService(config, { command: 'bench', log, clock })
  tidyLater(service.stop)
  await service.ready
  return { service, keys }
}

async function run(
  { domains }: Service,
  receiver: ChildProcess,
  onRound: (text: string) => void,
): Promise<Rounds> {
  const commitsMs = new Map<string, number>()
  let fills = 0
  const onEvents = (events: readonly BusEvent[]) => {
    const atMs = performance.timeOrigin + performance.now()
    for (const { type, data, keys } of events) {
      if (type !== 'trade' || keys.status !== 'confirmed') continue
      fills++
      const hash = String(data.tx_hash)
      if (!commitsMs.has(hash)) commitsMs.set(hash, atMs)
    }
  }
  const unsubscribe = domains.stream.bus.subscribe(onEvents)
  onRound('warming up')
  await wait(WARM_UP_MS)
  await askPart<Arrivals>(receiver, 'report')
  fills = 0
  const medians: number[] = []
  const latenciesMs: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    onRound(`round ${round} of ${ROUNDS}`)
    await wait(ROUND_MS)
    const { txHashes, timesMs } = await askPart<Arrivals>(receiver, 'report')
    const roundMs = timesMs
      .map((atMs, index) => atMs - (commitsMs.get(txHashes[index] ?? '') ?? Number.NaN))
      .filter(Number.isFinite)
    medians.push(percentile(roundMs, 0.5))
    latenciesMs.push(...roundMs)
  }
  unsubscribe()
  const seconds = (ROUNDS * ROUND_MS) / 1000
  return {
    ours: medians.map((ms) => 1000 / ms),
    yardstick: medians.map(() => 1000 / MEDIAN_MS_MAX),
    figures: {
      'half within': showBound(percentile(latenciesMs, 0.5), MEDIAN_MS_MAX, ' ms'),
      '99 of 100 within': showBound(percentile(latenciesMs, 0.99), P99_MS_MAX, ' ms'),
      'the latest': `${Math.max(0, ...latenciesMs).toFixed(0)} ms`,
      'fills per second': Math.round(fills / seconds),
      'first attempts per second': Math.round(latenciesMs.length / seconds),
    },
  }
}
