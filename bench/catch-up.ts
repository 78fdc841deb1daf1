import { setTimeout as wait } from 'node:timers/promises'
import type { Bench, Rounds } from './lib/bench.js'
import { NO_UPSTREAMS } from './lib/no-upstreams.js'
import { nextMessage, startPart } from './lib/parts.js'
import { cpuSeconds, residentBytes, startAuspex } from './lib/processes.js'
import { tidy, tidyLater } from './lib/tidy.js'

const LOGS = Number(process.env.BENCH_LOGS ?? 1_800_000)
/** Then 1.8 million logs are in some 131,000 blocks. */
const INTENSITY = 3.3
const SAMPLE_MS = 100
const CALLS_PER_SECOND = 1_000
const BLOCKS_PER_PAGE = 300

type Node = { url: string; first: number; last: number; logs: number }

export const catchUp: Bench = {
  name: 'catch-up',
  promise: `the service books ${LOGS.toLocaleString('en-US')} logs of a node, against a client that only parses the same answers`,
  ratioMin: 0.3,
  unit: 'logs/s',
  async prepare() {
    const node = await startNode()
    return { run: (onRound) => run(node, onRound), close: tidy }
  },
}

async function startNode(): Promise<Node> {
  const part = startPart('catch-up/recorded-node', [String(LOGS), String(INTENSITY)])
  const { port, ...recorded } = await nextMessage<Omit<Node, 'url'> & { port: number }>(part)
  return { ...recorded, url: `http://127.0.0.1:${port}` }
}

async function run(node: Node, onRound: (text: string) => void): Promise<Rounds> {
  onRound('the bare client')
  const yardstick = node.logs / (await timeBare(node))
  const env = {
    ...NO_UPSTREAMS,
    AUSPEX_POLYGON_URL: node.url,
    AUSPEX_POLYGON_CALLS_PER_SECOND: String(CALLS_PER_SECOND),
    AUSPEX_FROM_BLOCK: String(node.first),
  }
  const startedAt = performance.now()
  const service = await startAuspex({ isPinned: false, env })
  tidyLater(service.stop)
  let peak = 0
  let booked = 0
  const samples: ProgressSample[] = []
  while (booked < node.last) {
    await wait(SAMPLE_MS)
    peak = Math.max(peak, residentBytes(service.pid))
    const [row] = await service.pool<
      { block: number | null }[]
    >`select block::float8 as block from chain_state`
    booked = row?.block ?? 0
    samples.push({ atMs: performance.now(), block: booked })
    onRound(`${Math.max(0, booked - node.first)} of ${node.last - node.first} blocks`)
  }
  const seconds = (performance.now() - startedAt) / 1000
  const [database] = await service.pool<{ bytes: number; fills: number }[]>`
    select pg_database_size(current_database())::float8 as bytes, (select count(*) from fills)::float8 as fills`
  return {
    ours: [node.logs / seconds],
    yardstick: [yardstick],
    figures: {
      logs: node.logs,
      blocks: node.last - node.first + 1,
      'on the way': `${Math.round(speedOnTheWay(node, samples)).toLocaleString('en-US')} logs/s, without start and arrival`,
      fills: database?.fills ?? 0,
      'CPU per log': `${((cpuSeconds(service.pid) / node.logs) * 1e6).toFixed(1)} µs in the service`,
      'memory at most': `${Math.round(peak / 1e6)} MB`,
      'database per fill': `${Math.round((database?.bytes ?? 0) / (database?.fills ?? 1))} bytes`,
    },
  }
}

type ProgressSample = { atMs: number; block: number }

/** From the first tenth of the blocks to the last, which all have about as many logs. */
function speedOnTheWay({ first, last, logs }: Node, samples: readonly ProgressSample[]): number {
  const tenth = (last - first) / 10
  const middle = samples.filter(({ block }) => block > first + tenth && block < last - tenth)
  const [from, to] = [middle[0], middle.at(-1)]
  if (from === undefined || to === undefined) return Number.NaN
  const share = (to.block - from.block) / (last - first)
  return (share * logs) / ((to.atMs - from.atMs) / 1000)
}

/** The same logs in pages of a few thousand, one after the other, parsed and dropped. */
async function timeBare({ url, first, last }: Node): Promise<number> {
  const startedAt = performance.now()
  for (let block = first; block <= last; block += BLOCKS_PER_PAGE) {
    const range = { fromBlock: block, toBlock: Math.min(block + BLOCKS_PER_PAGE - 1, last) }
    const body = JSON.stringify({ id: 1, method: 'eth_getLogs', params: [range] })
    const { result } = (await (await fetch(url, { method: 'POST', body })).json()) as { result: unknown[] }
    if (result.length === 0) throw new Error(`no logs in the blocks from ${block}`)
  }
  return (performance.now() - startedAt) / 1000
}
