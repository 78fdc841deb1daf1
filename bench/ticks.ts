import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BLOCK_SEC } from '../src/prices/fast/tick-block.js'
import { TICK_SOURCES } from '../src/prices/streams.js'
import type { Bench, Figures, Rounds } from './lib/bench.js'
import { showBound, spread } from './lib/compare.js'
import { type Download, download } from './lib/download.js'
import { watchLoop } from './lib/loop-delay.js'
import { NO_UPSTREAMS } from './lib/no-upstreams.js'
import {
  insertKeys,
  measureGrowth,
  type Running,
  type RunningService,
  startAuspex,
  startYardstick,
} from './lib/processes.js'
import { fillArchive, lastBlock } from './lib/tick-archive.js'
import { tidy, tidyLater } from './lib/tidy.js'

const DAY_BLOCKS = (24 * 3_600) / BLOCK_SEC
const LIMIT = 100_000
const WARM_UP_ROUNDS = 5
const ROUNDS = 15
const AT_ONCE = 20
const MB = 1_000_000
const MEMORY_MAX = 200 * MB
const FIRST_BYTE_MS_MAX = 50
const LOOP_MS_MAX = 20

export const ticks: Bench = {
  name: 'ticks',
  promise: `${LIMIT.toLocaleString('en-US')} ticks of a day against bare node:http sending the same bytes from memory`,
  ratioMin: 0.4,
  unit: 'answers/s',
  async prepare() {
    const auspex = await startWatched()
    const untilBlock = lastBlock()
    const fromBlock = untilBlock - DAY_BLOCKS
    const streams = TICK_SOURCES.map((source) => ({ symbol: 'BTC', kind: 'spot', source }) as const)
    await fillArchive(auspex.pool, streams, fromBlock, untilBlock)
    const [key = ''] = await insertKeys(auspex.pool, 1)
    const fromMs = fromBlock * BLOCK_SEC * 1000
    const path = `/v1/crypto/ticks?symbol=BTC&from=${fromMs}&to=${fromMs + 86_400_000 - 1}&limit=${LIMIT}`
    const ours = () => download(auspex.port, path, { 'x-api-key': key })
    await auspex.readLoopDelay()
    const cold = { ...(await ours()), loopMs: await auspex.readLoopDelay() }
    const [bare, naive] = await Promise.all([
      startBare(auspex.port, path, key),
      startNaive(auspex, fromBlock),
    ])
    const contest = {
      ours,
      bare: () => download(bare.port, '/'),
      naive: () => download(naive.port, '/'),
    }
    return { run: (onRound) => run(auspex, contest, cold, onRound), close: tidy }
  },
}

type Contest = Record<'ours' | 'bare' | 'naive', () => Promise<Download>>

async function run(
  auspex: Watched,
  { ours, bare, naive }: Contest,
  cold: Download & { loopMs: number },
  onRound: (text: string) => void,
): Promise<Rounds> {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    await ours()
    await bare()
    await naive()
  }
  const taken: Record<keyof Contest, Download[]> = { ours: [], bare: [], naive: [] }
  const loopMs: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    onRound(`round ${round} of ${ROUNDS}`)
    await auspex.readLoopDelay()
    taken.ours.push(await ours())
    loopMs.push(await auspex.readLoopDelay())
    taken.bare.push(await bare())
    taken.naive.push(await naive())
  }
  const memory = await measureGrowth(auspex.pid, () => Promise.all(Array.from({ length: AT_ONCE }, ours)))
  const speeds = (all: Download[]) => all.map(({ totalMs }) => 1000 / totalMs)
  const figures: Figures = {
    'bytes of an answer': taken.ours[0]?.bytes ?? 0,
    'first answer of all': `${Math.round(cold.totalMs)} ms, the event loop held up for ${Math.round(cold.loopMs)} ms at most`,
    'time of the naive way': showBound(naiveRatio(taken), 0.5, ''),
    'first byte at the latest': showBound(
      Math.max(...taken.ours.map(({ firstMs }) => firstMs)),
      FIRST_BYTE_MS_MAX,
      ' ms',
    ),
    'event loop held up, median of the rounds': showBound(spread(loopMs).median, LOOP_MS_MAX, ' ms'),
    'event loop held up, worst round': `${Math.round(Math.max(...loopMs))} ms`,
    [`memory for ${AT_ONCE} at once`]: showBound(memory / MB, MEMORY_MAX / MB, ' MB'),
  }
  return { ours: speeds(taken.ours), yardstick: speeds(taken.bare), figures }
}

/** How much of the naive way's time ours takes. */
const naiveRatio = ({ ours, naive }: Record<keyof Contest, Download[]>): number =>
  spread(ours.map(({ totalMs }, round) => totalMs / (naive[round]?.totalMs ?? Number.NaN))).median

type Watched = RunningService & { readLoopDelay: () => Promise<number> }

async function startWatched(): Promise<Watched> {
  const loop = watchLoop()
  const auspex = await startAuspex({ isPinned: false, env: { ...NO_UPSTREAMS, ...loop.env } })
  tidyLater(auspex.stop)
  return { ...auspex, readLoopDelay: () => loop.read(auspex.pid) }
}

async function startBare(port: number, path: string, key: string): Promise<Running> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { 'x-api-key': key, 'accept-encoding': 'identity' },
  })
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'))
  const file = join(folder, 'answer.json')
  writeFileSync(file, JSON.stringify({ headers, body: await answer.text() }))
  const bare = await startYardstick('node-http', [file], { isPinned: false })
  tidyLater(async () => {
    await bare.stop()
    rmSync(folder, { recursive: true })
  })
  return bare
}

async function startNaive({ pool, target }: RunningService, fromBlock: number): Promise<Running> {
  const startSec = fromBlock * BLOCK_SEC
  await pool`
    create table naive_ticks (
      sec integer, sequence integer, price float8, bid float8, ask float8,
      primary key (sec, sequence)
    )`
  await pool`
    insert into naive_ticks
    select ${startSec}::int + n / 2, n % 2, p, p - 1.25, p + 1.75
      from generate_series(0, ${LIMIT - 1}::int) n
      cross join lateral (select round((90000 + sin(n) * 900)::numeric, 8)::float8 as p) price`
  await pool`analyze naive_ticks`
  const naive = await startYardstick('naive-ticks', [JSON.stringify({ target })], {
    isPinned: false,
  })
  tidyLater(naive.stop)
  return naive
}
