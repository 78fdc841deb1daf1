import { createPool } from '../src/store/connection.js'
import type { Bench, Rounds } from './lib/bench.js'
import type { BenchServer } from './lib/bench-server.js'
import { percentile, showBound, spread } from './lib/compare.js'
import { insertKeys, type Running, startAuspexOn } from './lib/processes.js'
import { showProgress } from './lib/progress.js'
import { tidy, tidyLater } from './lib/tidy.js'
import { HISTORIES_DIR, keepHistory, openHistories } from './v3/keep-history.js'
import { HISTORY_REQUESTS, type ToPath } from './v3/requests.js'
import { type Samples, selectSamples } from './v3/samples.js'

/** Fifty million take half an hour to build and 24 GB: `BENCH_MILLIONS=1,10,50` asks for them. */
const MILLIONS = (process.env.BENCH_MILLIONS ?? '1,10').split(',').map(Number)
/** As long as that many fills took at the venue; the last is four years. */
const PARTITIONS: Readonly<Record<number, number>> = { 1: 10, 10: 100, 50: 240 }
const GROWTH_MAX = 1.3
const WHALE_MS_MAX = 20
/** With samples that no cold round requests, to let the service compile what it runs. */
const WARM_UP_ROUNDS = 20
/** Each of the rest is requested once, when PostgreSQL has just been started, and then again. */
const COLD_ROUNDS = 40
const WARM_ROUNDS = 80
const KEYS = 100

export const v3Growth: Bench = {
  name: 'v3-growth',
  promise: `answers of /v3 over ${MILLIONS.at(-1)} million fills against ${MILLIONS[0]} million`,
  ratioMin: 1 / GROWTH_MAX,
  unit: 'answers/s',
  async prepare() {
    console.log(`  histories are kept in ${HISTORIES_DIR}`)
    await buildHistories()
    // A new server: its buffers are empty.
    const server = await openHistories()
    return { run: (onRound) => run(server, onRound), close: tidy }
  },
}

type Side = { service: Running; samples: Samples; keys: string[] }
type Times = { cold: number[]; warm: number[] }

async function buildHistories(): Promise<void> {
  const server = await openHistories()
  for (const millions of MILLIONS) await openHistory(server, millions, showProgress)
  await tidy()
}

async function run(server: BenchServer, onRound: (text: string) => void): Promise<Rounds> {
  const sides: Side[] = []
  const rounds: Rounds = { ours: [], yardstick: [], figures: {} }
  for (const millions of MILLIONS) sides.push(await openSide(server, millions, onRound))
  for (const side of sides) await compileService(side, onRound)
  const kinds = Object.entries(HISTORY_REQUESTS)
  const cold = await timeAll(sides, kinds, COLD_ROUNDS, (name) => onRound(`cold: ${name}`))
  const warm = await timeAll(sides, kinds, WARM_ROUNDS, (name) => onRound(name))
  for (const [name] of kinds) {
    const times = sides.map((_, index): Times => {
      const of = (all: Map<string, number[][]>) => all.get(name)?.[index] ?? []
      return { cold: of(cold), warm: of(warm) }
    })
    const medians = times.map((side) => spread(side.warm).median)
    const [fewMs = Number.NaN, manyMs = Number.NaN] = [medians[0], medians.at(-1)]
    rounds.yardstick.push(1_000 / fewMs)
    rounds.ours.push(1_000 / manyMs)
    const bounds = [showBound(manyMs / fewMs, GROWTH_MAX, ' ×')]
    if (name.includes('whale')) bounds.push(showBound(manyMs, WHALE_MS_MAX, ' ms'))
    rounds.figures[name] = `${times.map(showTimes).join(' | ')}, ${bounds.join(', ')}`
  }
  return rounds
}

/** Half and 99 of 100, warm and then cold. */
const showTimes = ({ warm, cold }: Times): string =>
  [warm, cold]
    .map((of) => `${spread(of).median.toFixed(1)}/${percentile(of, 0.99).toFixed(1)}`)
    .join(' cold ')

/** Alternates between the sides, so that whatever else the machine does slows all of them. */
async function timeAll(
  sides: readonly Side[],
  kinds: readonly (readonly [string, ToPath])[],
  rounds: number,
  onKind: (name: string) => void,
): Promise<Map<string, number[][]>> {
  const times = new Map<string, number[][]>()
  for (const [name, toPath] of kinds) {
    onKind(name)
    const bySide = sides.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      for (const [index, side] of sides.entries())
        bySide[index]?.push(await timeAnswer(side, toPath(side.samples, WARM_UP_ROUNDS + round), round))
    }
    times.set(name, bySide)
  }
  return times
}

async function compileService(side: Side, onRound: (text: string) => void): Promise<void> {
  onRound('warming up')
  for (let round = 0; round < WARM_UP_ROUNDS; round++)
    for (const toPath of Object.values(HISTORY_REQUESTS))
      await timeAnswer(side, toPath(side.samples, round), round)
}

function openHistory(server: BenchServer, millions: number, onStep: (step: string) => void) {
  const partitions = PARTITIONS[millions] ?? Math.ceil(millions * 5)
  const size = { fills: millions * 1_000_000, partitions }
  return keepHistory(server, size, (step) => onStep(`${millions} million fills: ${step}`))
}

async function openSide(
  server: BenchServer,
  millions: number,
  onRound: (text: string) => void,
): Promise<Side> {
  const target = await openHistory(server, millions, onRound)
  const pool = createPool(target, 1)
  const samples = await selectSamples(pool)
  // A worker would make the first boards and statistics of the history meanwhile, which takes minutes.
  const service = await startAuspexOn(target, { AUSPEX_ROLES: 'api' })
  tidyLater(service.stop)
  const keys = await insertKeys(pool, KEYS)
  await pool.end()
  return { service, samples, keys }
}

async function timeAnswer({ service, keys }: Side, path: string, round: number): Promise<number> {
  const startedMs = performance.now()
  const reply = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    headers: { 'x-api-key': keys[round % keys.length] ?? '' },
  })
  const body = await reply.text()
  if (reply.status !== 200) throw new Error(`${path} was answered with ${reply.status}: ${body}`)
  return performance.now() - startedMs
}
