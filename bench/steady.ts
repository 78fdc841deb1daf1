import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { simulatedEnvironment } from '../demo/simulator.js'
import { createPool, type Pool } from '../src/store/connection.js'
import type { Bench, Figures, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { percentile } from './lib/compare.js'
import { askPart, nextMessage, startPart } from './lib/parts.js'
import { cpuSeconds, insertKeys, residentBytes } from './lib/processes.js'
import { tidy, tidyLater } from './lib/tidy.js'
import type { ServeRequest } from './steady/service.js'
import { type OpenSockets, SOCKETS, type SocketReport } from './steady/sockets.js'
import type { UniverseReady } from './webhook-latency/universe.js'
import { createWebhooks } from './webhook-latency/workload.js'

const MINUTES = Number(process.env.BENCH_MINUTES ?? 20)
/** Then the universe has about 50 fills a second, as many as the venue. */
const INTENSITY = 40
const START_MS = Date.UTC(2026, 10, 12, 14)
/** Once a minute a block with a thousand fills. */
const BURST_BLOCKS = 30
const BURST_FACTOR = 10
const WEBHOOKS = 200
const SAMPLE_MS = 5_000
/** How much more memory the last quarter may have than the second: the first is spent on warming up. */
const GROWTH_MAX = 1.15

export const steady: Bench = {
  name: 'steady',
  promise: `${MINUTES} minutes at the venue's rate, with bursts, ${SOCKETS} sockets and ${WEBHOOKS} webhooks: the last quarter takes ${GROWTH_MAX} times the memory of the second at most`,
  ratioMin: 1,
  unit: 'services/GB',
  async prepare() {
    // At a fixed time of day: how much is traded depends on it.
    const args = [INTENSITY, START_MS, BURST_BLOCKS, BURST_FACTOR].map(String)
    const universe = startPart('webhook-latency/universe', args)
    const sockets = startPart('steady/sockets')
    const receiver = startPart('webhook-latency/receiver')
    const receiverPort = await nextMessage<number>(receiver)
    const known = await nextMessage<UniverseReady>(universe)
    const service = await serve(known)
    const { takers: wallets, conditions } = known
    const { port, key } = service
    const url = `http://127.0.0.1:${port}`
    await createWebhooks(url, { keys: [key], count: WEBHOOKS, receiverPort, known })
    await askPart<SocketReport>(sockets, { port, key, wallets, conditions } satisfies OpenSockets)
    return { run: (onRound) => run(service, known, sockets, onRound), close: tidy }
  },
}

type Served = { port: number; pid: number; key: string; pool: Pool }

async function serve({ upstreams, headBlock, offsetMs }: UniverseReady): Promise<Served> {
  const server = await BenchServer.start()
  let key = ''
  const target = await server.keepDatabase('steady', 'steady_', async (pool) => {
    key = (await insertKeys(pool, 1))[0] ?? ''
  })
  const env = {
    ...simulatedEnvironment(upstreams),
    AUSPEX_FROM_BLOCK: String(headBlock),
    PORT: '0',
    AUSPEX_SECRET_KEY: '5f'.repeat(32),
    DATABASE_URL: `postgres://auspex@localhost/${target.database}?host=${target.socketDir}`,
  }
  const part = startPart('steady/service', [], [])
  const port = await askPart<number>(part, { env, offsetMs } satisfies ServeRequest)
  const pool = createPool(target, 1)
  tidyLater(() => pool.end({ timeout: 1 }))
  return { port, pid: part.pid ?? 0, key, pool }
}

type FillCount = { count: number }
type Sample = { atMs: number; bytes: number; cpu: number; values: ReadonlyMap<string, number> }

async function run(
  { port, pid, key, pool }: Served,
  known: UniverseReady,
  sockets: ChildProcess,
  onRound: (text: string) => void,
): Promise<Rounds> {
  const samples: Sample[] = []
  const startedMs = Date.now()
  const [before] = await pool<FillCount[]>`select count(*)::float8 as count from fills`
  const endMs = startedMs + MINUTES * 60_000
  const readsMs: number[] = []
  while (Date.now() < endMs) {
    onRound(`${Math.round((Date.now() - startedMs) / 60_000)} of ${MINUTES} minutes`)
    await wait(SAMPLE_MS)
    const values = await readMetrics(port)
    samples.push({ atMs: Date.now(), bytes: residentBytes(pid), cpu: cpuSeconds(pid), values })
    const wallet = known.takers[samples.length % known.takers.length] ?? ''
    readsMs.push(await timeRead(port, key, `/v3/wallets/${wallet}/copy-pnl`))
    readsMs.push(await timeRead(port, key, '/v3/trades?limit=100'))
  }
  const { open, frames, closes } = await askPart<SocketReport>(sockets, 'report')
  const [after] = await pool<FillCount[]>`select count(*)::float8 as count from fills`
  const memory = (part: number) =>
    percentile(
      quarter(samples, part).map(({ bytes }) => bytes / 1e6),
      0.5,
    )
  return {
    ours: [1000 / memory(3)],
    yardstick: [1000 / (memory(1) * GROWTH_MAX)],
    figures: {
      'fills per second': Math.round(
        ((after?.count ?? 0) - (before?.count ?? 0)) / ((Date.now() - startedMs) / 1000),
      ),
      memory: [0, 1, 2, 3].map((part) => `${memory(part).toFixed(0)} MB`).join(', '),
      'CPU of the service': [0, 1, 2, 3].map((part) => showCpu(quarter(samples, part))).join(', '),
      'reads within': `${percentile(readsMs, 0.99).toFixed(0)} ms, 99 of 100`,
      sockets: `${open} open, ${frames} frames, ${closes.length} closed`,
      'chain behind': showHighest(samples, 'auspex_chain_lag_seconds', ' s'),
      'webhooks behind': showHighest(samples, 'auspex_webhook_lag_blocks', ' blocks'),
      ...jobFigures(samples),
    },
  }
}

const quarter = (samples: readonly Sample[], part: number): readonly Sample[] =>
  samples.slice((samples.length * part) / 4, (samples.length * (part + 1)) / 4)

function showCpu(samples: readonly Sample[]): string {
  const [first, last] = [samples[0], samples.at(-1)]
  const seconds = ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / 1000
  const spent = (last?.cpu ?? 0) - (first?.cpu ?? 0)
  return `${((spent / seconds) * 100).toFixed(0)} %`
}

function showHighest(samples: readonly Sample[], name: string, unit: string): string {
  const values = samples.map((sample) => sample.values.get(name) ?? 0)
  return `half of the time ${percentile(values, 0.5).toFixed(0)}${unit}, at most ${Math.max(...values).toFixed(0)}${unit}`
}

/** How long each job took at most, and how often it ran. Jobs that never end are left out. */
function jobFigures(samples: readonly Sample[]): Figures {
  const figures: Figures = {}
  const last = samples.at(-1)?.values ?? new Map<string, number>()
  for (const name of last.keys()) {
    const job = /^auspex_job_last_duration_seconds\{job="(.*)"\}$/.exec(name)?.[1]
    if (job === undefined) continue
    const longest = Math.max(...samples.map(({ values }) => values.get(name) ?? 0))
    const runs = last.get(`auspex_job_runs_total{job="${job}",result="ok"}`) ?? 0
    const failures = last.get(`auspex_job_runs_total{job="${job}",result="failed"}`) ?? 0
    if (longest < 0.05 && failures === 0) continue
    figures[`job ${job}`] = `${runs} runs, ${failures} failed, ${longest.toFixed(2)} s at most`
  }
  return figures
}

async function readMetrics(port: number): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}

async function timeRead(port: number, key: string, path: string): Promise<number> {
  const startedAt = performance.now()
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await reply.arrayBuffer()
  // A wallet that has not traded yet is unknown.
  if (reply.status !== 200 && reply.status !== 404) throw new Error(`${reply.status} of ${path}`)
  return performance.now() - startedAt
}
