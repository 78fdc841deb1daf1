import { monitorEventLoopDelay } from 'node:perf_hooks'
import { buildIndexes, ensurePartitions } from '../src/chain/write/partitions.js'
import { scanWallet } from '../src/copy-pnl/fact-scan.js'
import { DEFAULT_SLIPPAGE_BP, toCopyScore } from '../src/copy-pnl/score.js'
import { PARTITION_BLOCKS } from '../src/core/blocks.js'
import type { Pool } from '../src/store/connection.js'
import { transact } from '../src/store/transaction.js'
import type { Bench, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { tidy } from './lib/tidy.js'

const FILLS = Number(process.env.BENCH_FILLS ?? 100_000)
/** Fills of other wallets between two of the wallet's own. */
const OTHERS = 9
const SETTLEMENTS = Math.floor(FILLS / 10)
const DAYS = [180, 90, 60, 30, 14, 7]
const DAY_SEC = 24 * 60 * 60
const BLOCK_SEC = 2
const FIRST_BLOCK = 290 * PARTITION_BLOCKS
const BLOCKS = (DAYS[0] ?? 0) * (DAY_SEC / BLOCK_SEC)
const FIRST_SEC = 1_780_000_000
const LAST_SEC = FIRST_SEC + BLOCKS * BLOCK_SEC
const WALLET = 7
const ADDRESS = `0x${'7'.repeat(40)}`
const WARM_UP_ROUNDS = 2
const ROUNDS = 10

export const copyPnl: Bench = {
  name: 'copy-pnl',
  promise: `a wallet with ${FILLS.toLocaleString('en-US')} fills scored for six periods against \`select sum(usd)\` over the same fills`,
  ratioMin: 0.15,
  unit: 'fills/s',
  async prepare() {
    const server = await BenchServer.start()
    const pool = await server.createDatabase('copy_pnl')
    await build(pool)
    return { run: (onRound) => run(pool, onRound), close: tidy }
  },
}

async function run(pool: Pool, onRound: (text: string) => void): Promise<Rounds> {
  const ours: number[] = []
  const yardstick: number[] = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let heldMs = 0
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round++) {
    onRound(round < 1 ? 'warming up' : `round ${round} of ${ROUNDS}`)
    delay.reset()
    delay.enable()
    const scanned = await timed(() => score(pool))
    delay.disable()
    const summed = await timed(() => sum(pool))
    if (round < 1) continue
    heldMs = Math.max(heldMs, delay.max / 1e6)
    ours.push(FILLS / scanned)
    yardstick.push(FILLS / summed)
  }
  const figures = { 'event loop held up for at most': `${heldMs.toFixed(1)} ms` }
  return { ours, yardstick, figures }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

async function score(pool: Pool): Promise<void> {
  const order = {
    address: ADDRESS,
    fromSecs: DAYS.map((days) => LAST_SEC - days * DAY_SEC),
    toSec: LAST_SEC,
    slippageBp: DEFAULT_SLIPPAGE_BP,
  }
  const windows = await scanWallet(pool, order, { isOver: () => false })
  const [longest] = windows.map(({ facts }) => toCopyScore(facts, DEFAULT_SLIPPAGE_BP))
  if (longest?.trades !== FILLS) throw new Error(`${longest?.trades} fills were scored`)
}

async function sum(pool: Pool): Promise<void> {
  const [row] = await pool<{ fills: number }[]>`
    select count(*)::integer as fills, sum(usd)::text from fills where wallet = ${WALLET}`
  if (row?.fills !== FILLS) throw new Error(`${row?.fills} fills were summed`)
}

/** Facts spread evenly over the longest period. */
async function build(pool: Pool): Promise<void> {
  const last = FIRST_BLOCK + BLOCKS
  await transact(pool, (tx) => ensurePartitions(tx, FIRST_BLOCK, last, { bare: true }))
  const rows = FILLS * (OTHERS + 1)
  await pool.unsafe(`
    set statement_timeout = 0;
    insert into wallets values (${WALLET}, '\\x${ADDRESS.slice(2)}', 0);
    insert into conditions values (1, '\\x${'aa'.repeat(32)}', 0);
    insert into blocks
    select number, ${FIRST_SEC} + (number - ${FIRST_BLOCK}) * ${BLOCK_SEC}, sha256(int4send(number))
      from (select distinct ${FIRST_BLOCK} + (n * ${BLOCKS} / ${rows})::integer as number
              from generate_series(1::bigint, ${rows}) n) numbers;
    insert into fills
    select (((${FIRST_BLOCK} + n * ${BLOCKS} / ${rows})) << 20) + n % 1000,
           shares * (1 + n % 99) / 100, shares, 0,
           case when n % ${OTHERS + 1} = 0 then ${WALLET} else 100 + n % 5000 end, 1, 1, n % 1000,
           null, n / ${OTHERS + 1} % 3 / 2, sha256(int8send(n)), sha256(int8send(n / 4)), null
      from (select n, (1 + n % 977) * 100000 as shares from generate_series(1::bigint, ${rows}) n) drafts;
    insert into redemptions
    select ((${FIRST_BLOCK} + n * ${BLOCKS} / ${SETTLEMENTS}) << 20) + 2000, n, ${WALLET}, 1, 6, '{}', '{}', ''
      from generate_series(1::bigint, ${SETTLEMENTS}) n;
    update chain_state set block = ${last}, block_time = ${LAST_SEC}`)
  await buildIndexes(pool)
  await pool.unsafe('vacuum analyze')
}
