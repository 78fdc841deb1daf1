import { attributeBatch } from '../src/chain/attribute/attribute-batch.js'
import type { BatchFacts } from '../src/chain/facts/registry.js'
import { FACT_TABLES } from '../src/chain/facts/registry.js'
import { IdRegistry } from '../src/chain/ids/id-registry.js'
import type { Batch } from '../src/chain/read/batch.js'
import { BlockWriter } from '../src/chain/write/block-writer.js'
import { FactWriter } from '../src/chain/write/fact-writer.js'
import { buildIndexes, ensurePartitions } from '../src/chain/write/partitions.js'
import type { Pool, Sql } from '../src/store/connection.js'
import { transact } from '../src/store/transaction.js'
import { LogDecoder } from '../src/upstreams/polygon/decode.js'
import type { Bench, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { handOut, readBatches, timeOf } from './lib/ingest-batch.js'
import { LogSource } from './lib/log-source.js'
import { tidy } from './lib/tidy.js'

const FILLS = Number(process.env.BENCH_FILLS ?? 1_000_000)
const ROUNDS = 15
const SEND_CHARS = 1_000_000

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

/** Both sides take the same batches alternately; what comes next waits in the other process. */
async function run(source: LogSource, pools: Pools, onRound: (text: string) => void): Promise<Rounds> {
  const line = await BlockWriter.open({ pool: pools.ours })
  const copy = new PlainCopy(pools.yardstick)
  const rounds: { fills: number; ours: number; yardstick: number }[] = []
  let fills = 0
  for (let round = 1; round <= ROUNDS; round++) {
    onRound(`round ${round} of ${ROUNDS}`)
    const read = await readBatches(source, (FILLS * round) / ROUNDS - fills)
    fills += read.fills
    const { batches } = read
    rounds.push({
      fills: read.fills,
      yardstick: await copy.append(batches),
      ours: await timeOf(() => line.append(handOut(batches))),
    })
  }
  const indexSeconds = await timeOf(() => buildIndexes(pools.ours))
  return {
    // What the indexes take falls on every fill alike.
    ours: rounds.map((sum) => sum.fills / (sum.ours + (indexSeconds * sum.fills) / fills)),
    yardstick: rounds.map((sum) => sum.fills / sum.yardstick),
    figures: {
      fills,
      'seconds for indexes': indexSeconds.toFixed(1),
      ...(await measureDisk(pools.ours, fills)),
    },
  }
}

/** The same facts by COPY alone, into tables that have only their primary keys. */
class PlainCopy {
  readonly #pool: Pool
  readonly #ids = new IdRegistry()
  readonly #decoder = new LogDecoder()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** The logs are read and the ids are resolved before the clock starts. */
  async append(batches: readonly Batch[]): Promise<number> {
    const resolved: BatchFacts[] = []
    for (const { fromBlock, toBlock, logs, blocks } of batches) {
      const facts = attributeBatch({ logs, blocks, decoder: this.#decoder })
      await transact(this.#pool, async (tx) => {
        await ensurePartitions(tx, fromBlock, toBlock, { bare: true })
        await this.#ids.resolve(tx, facts, { journal: false })
      })
      resolved.push(facts)
    }
    return timeOf(() => transact(this.#pool, (tx) => this.#copy(tx, resolved)))
  }

  async #copy(tx: Sql, resolved: readonly BatchFacts[]): Promise<void> {
    const writer = new FactWriter(this.#ids)
    for (const facts of resolved) {
      writer.add(facts)
      await writer.send(tx, SEND_CHARS)
    }
    await writer.sendAll(tx)
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
