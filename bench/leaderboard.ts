import type { Page } from '../src/core/page.js'
import { selectAllTimeBoard, selectRollingBoard } from '../src/leaderboards/queries.js'
import { refreshBoards } from '../src/leaderboards/refresh/refresh.js'
import type { Pool } from '../src/store/connection.js'
import { addRound, buildWorld, HEAD_SEC, ROUND_EVENTS, type WorldSize } from './leaderboard/world.js'
import type { Bench, Figures, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { showBound, spread } from './lib/compare.js'
import { tidy } from './lib/tidy.js'

/** The promise speaks of a million wallets, whose boards take an hour to build. */
const WALLETS = Number(process.env.BENCH_WALLETS ?? 100_000)
const EVENTS_PER_WALLET = 30
const ROUNDS = 7
const WARM_UP_ROUNDS = 2
const RATIO_MAX = 2
const GROWTH_MAX = 1.3
const PAGE_MS_MAX = 5
const PAGE_RUNS = 20

/** Tables whose rows a refresh changes. */
const TABLES = ['rolling_boards', 'board_positions', 'all_time_boards']

export const leaderboard: Bench = {
  name: 'leaderboard',
  promise: `a refresh of all boards with ${ROUND_EVENTS.toLocaleString('en-US')} P&L events that came and as many that left, against a plain insert of the changed rows`,
  ratioMin: 1 / RATIO_MAX,
  unit: 'rows/s',
  async prepare() {
    const server = await BenchServer.start()
    return { run: (onRound) => run(server, onRound), close: tidy }
  },
}

async function run(server: BenchServer, onRound: (text: string) => void): Promise<Rounds> {
  const few = await measure(server, WALLETS / 10, onRound)
  const many = await measure(server, WALLETS, onRound)
  const [fewMs, manyMs] = [spread(few.refreshMs).median, spread(many.refreshMs).median]
  return {
    ours: many.rows.map((rows, round) => (rows * 1_000) / (many.refreshMs[round] ?? Number.NaN)),
    yardstick: many.rows.map((rows, round) => (rows * 1_000) / (many.insertMs[round] ?? Number.NaN)),
    figures: {
      wallets: WALLETS.toLocaleString('en-US'),
      refresh: `${manyMs.toFixed(0)} ms for ${spread(many.rows).median.toLocaleString('en-US')} rows`,
      'against a tenth of the wallets': showBound(
        (manyMs * spread(few.rows).median) / (fewMs * spread(many.rows).median),
        GROWTH_MAX,
        ' × for a row',
      ),
      ...many.pages,
    },
  }
}

type Measured = { rows: number[]; refreshMs: number[]; insertMs: number[]; pages: Figures }

async function measure(
  server: BenchServer,
  wallets: number,
  onRound: (text: string) => void,
): Promise<Measured> {
  const label = `${wallets.toLocaleString('en-US')} wallets`
  const size: WorldSize = { wallets, events: wallets * EVENTS_PER_WALLET, rounds: ROUNDS }
  onRound(`${label}: history`)
  const pool = await server.createDatabase(`boards_${wallets}`)
  await buildWorld(pool, size)
  onRound(`${label}: first boards`)
  await refreshBoards(pool, HEAD_SEC * 1000)
  await pool.unsafe('vacuum analyze')
  await pool.unsafe('checkpoint')
  for (const table of TABLES) await pool.unsafe(`create table plain_${table} (like ${table} including all)`)
  const measured: Measured = { rows: [], refreshMs: [], insertMs: [], pages: {} }
  for (let round = 1; round <= ROUNDS; round++) {
    onRound(`${label}: round ${round} of ${ROUNDS}`)
    const headSec = await addRound(pool, size, round)
    const refreshMs = await time(() => refreshBoards(pool, headSec * 1000))
    const rows = await listChangedRows(pool)
    const insertMs = await time(() => insertPlainly(pool))
    if (round <= WARM_UP_ROUNDS) continue
    measured.rows.push(rows)
    measured.refreshMs.push(refreshMs)
    measured.insertMs.push(insertMs)
  }
  onRound(`${label}: pages`)
  measured.pages = await timePages(pool)
  return measured
}

/** The rows that the last refresh wrote: those of its transaction. */
async function listChangedRows(pool: Pool): Promise<number> {
  let rows = 0
  for (const table of TABLES) {
    await pool.unsafe(`drop table if exists changed_${table}; truncate plain_${table}`)
    const { count } = await pool.unsafe(`
      create table changed_${table} as
      select * from ${table} where xmin = (select xmin from board_state)`)
    rows += count
  }
  return rows
}

async function insertPlainly(pool: Pool): Promise<void> {
  await pool.begin(async (tx) => {
    for (const table of TABLES) await tx.unsafe(`insert into plain_${table} select * from changed_${table}`)
  })
}

/** Of the boards of all markets, which are the largest. Callers reach rank 1,000 and rank 10,000. */
async function timePages(pool: Pool): Promise<Figures> {
  const days = 30
  const pages: Record<string, (page: Page) => Promise<unknown>> = {
    '30 days': (page) => selectRollingBoard(pool, { days, scope: 0 }, page),
    'all time': (page) => selectAllTimeBoard(pool, { scope: 0, column: 'total' }, page),
  }
  const figures: Figures = {}
  for (const [name, select] of Object.entries(pages)) {
    for (const offset of name === 'all time' ? [0, 900, 9_900] : [0, 900]) {
      const times: number[] = []
      for (let run = 0; run < PAGE_RUNS; run++)
        times.push(await time(() => select({ limit: 101, offset, after: undefined })))
      const label = `page of ${name} behind rank ${offset.toLocaleString('en-US')}`
      figures[label] = showBound(spread(times).median, PAGE_MS_MAX, ' ms')
    }
  }
  return figures
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}
