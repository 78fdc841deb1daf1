import { Names } from '../src/chain/store/names.js'
import { buildIndexes, ensurePartitions } from '../src/chain/store/partitions.js'
import { FACT_TABLES, writeTape } from '../src/chain/store/write-tape.js'
import { readTape } from '../src/chain/tape/read-tape.js'
import { TapeLine } from '../src/chain/tape-line.js'
import type { Pool } from '../src/store/connection.js'
import { transact } from '../src/store/transaction.js'
import type { Bench, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { BATCH_BYTES, timeOf, toBatch } from './lib/ingest-batch.js'
import { LogSource, type LogStretch } from './lib/log-source.js'
import { tidy } from './lib/tidy.js'

const FILLS = Number(process.env.BENCH_FILLS ?? 1_000_000)
const ROUNDS = 15

export const ingest: Bench = {
  name: 'ingest',
  promise: `${FILLS.toLocaleString('en-US')} fills, from logs in memory to committed rows with positions and P&L, against plain COPY of the same facts`,
  ratioMin: 0.3,
  unit: 'fills/s',
  async prepare() {
    const server = await BenchServer.start()
    const pools = {
      ours: await server.createDatabase('ours'),
      yardstick: await server.createDatabase('yardstick'),
    }
    await dropIndexes(pools.yardstick)
    const source = new LogSource()
    return { run: (onRound) => run(source, pools, onRound), close: tidy }
  },
}

type Pools = { ours: Pool; yardstick: Pool }

/** Both sides take the same batch in turn, while the next one waits in memory. */
async function run(
  source: LogSource,
  pools: Pools,
  onRound: (text: string) => void,
): Promise<Rounds> {
  const line = await TapeLine.open({ pool: pools.ours })
  const copy = new PlainCopy(pools.yardstick)
  const rounds: { fills: number; ours: number; yardstick: number }[] = []
  let fills = 0
  let next = await source.read(BATCH_BYTES)
  for (let round = 1; round <= ROUNDS; round++) {
    onRound(`round ${round} of ${ROUNDS}`)
    const sum = { fills: 0, ours: 0, yardstick: 0 }
    while (fills + sum.fills < (FILLS * round) / ROUNDS) {
      const stretch = next
      next = await source.read(BATCH_BYTES)
      const batch = toBatch(stretch)
      sum.ours += await timeOf(() => line.append(batch))
      sum.yardstick += await copy.append(stretch)
      sum.fills += stretch.fills
    }
    fills += sum.fills
    rounds.push(sum)
  }
  const indexSeconds = await timeOf(() => buildIndexes(pools.ours))
  const peakBytes = process.resourceUsage().maxRSS * 1024
  return {
    // What the indexes take falls on every fill alike.
    ours: rounds.map((sum) => sum.fills / (sum.ours + (indexSeconds * sum.fills) / fills)),
    yardstick: rounds.map((sum) => sum.fills / sum.yardstick),
    figures: {
      fills,
      'seconds for indexes': indexSeconds.toFixed(1),
      'peak memory of this process': `${Math.round(peakBytes / 1e6)} MB`,
      ...(await measureDisk(pools.ours, fills)),
    },
  }
}

/** The same facts by COPY alone, into tables that have only their primary keys. */
class PlainCopy {
  readonly #pool: Pool
  readonly #names = new Names()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** The logs are read and the names have their numbers before the clock starts. */
  async append(stretch: LogStretch): Promise<number> {
    const { fromBlock, toBlock, logs, blocks } = toBatch(stretch)
    const tape = readTape({ logs, blocks })
    await transact(this.#pool, async (tx) => {
      await ensurePartitions(tx, fromBlock, toBlock, { bare: true })
      await this.#names.resolve(tx, tape, { journal: false })
    })
    return timeOf(() => transact(this.#pool, (tx) => writeTape(tx, tape, this.#names)))
  }
}

async function dropIndexes(pool: Pool): Promise<void> {
  const tables = FACT_TABLES.map(({ table }) => table)
  const indexes = await pool<{ name: string }[]>`
    select indexrelid::regclass::text as name
      from pg_index
     where indrelid::regclass::text = any(${tables}::text[])
       and not indisprimary
     order by name`
  for (const { name } of indexes) await pool`drop index ${pool(name)}`
}

async function measureDisk(pool: Pool, fills: number) {
  const [size] = await pool<{ fills: number; all: number }[]>`
    select sum(pg_table_size(oid) + pg_indexes_size(oid)) filter (where relname like 'fills_p%')::float8 as fills,
           sum(pg_table_size(oid) + pg_indexes_size(oid))::float8 as all
      from pg_class
     where relkind = 'r'
       and relnamespace = 'public'::regnamespace`
  const perFill = (bytes = 0) => `${Math.round(bytes / fills)} bytes per fill`
  return {
    'fills with indexes on disk': perFill(size?.fills),
    'everything on disk': perFill(size?.all),
  }
}
