import { BlockWriter } from '../src/chain/write/block-writer.js'
import type { Pool } from '../src/store/connection.js'
import type { Bench, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { handOut, readBatches, timeOf } from './lib/ingest-batch.js'
import { LogSource } from './lib/log-source.js'
import { tidy } from './lib/tidy.js'

const ROWS = { few: 1_000_000, many: 10_000_000 }
const ROUNDS = 15
const FILLS_PER_ROUND = 20_000

export const ingestGrowth: Bench = {
  name: 'ingest-growth',
  promise: 'the rate at 10 million rows against the rate at 1 million',
  ratioMin: 0.85,
  unit: 'fills/s',
  async prepare() {
    const server = await BenchServer.start()
    const few = await openSide(await server.createDatabase('few'))
    const many = await openSide(await server.createDatabase('many'))
    return { run: (onRound) => run(few, many, onRound), close: tidy }
  },
}

type Side = { pool: Pool; line: BlockWriter; source: LogSource }

const openSide = async (pool: Pool): Promise<Side> => ({
  pool,
  line: await BlockWriter.open({ pool }),
  source: new LogSource(),
})

/** Both books are filled up, and then each alternately takes a little more. */
async function run(few: Side, many: Side, onRound: (text: string) => void): Promise<Rounds> {
  await fill(few, ROWS.few, onRound)
  await fill(many, ROWS.many, onRound)
  const ours: number[] = []
  const yardstick: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    onRound(`round ${round} of ${ROUNDS}`)
    yardstick.push(await measure(few))
    ours.push(await measure(many))
  }
  return {
    ours,
    yardstick,
    figures: {
      'rows of the smaller one': await countRows(few.pool),
      'rows of the larger one': await countRows(many.pool),
    },
  }
}

async function fill(side: Side, rows: number, onRound: (text: string) => void): Promise<void> {
  for (let booked = 0; booked < rows; booked = await countRows(side.pool)) {
    onRound(`${booked.toLocaleString('en-US')} of ${rows.toLocaleString('en-US')} rows`)
    await measure(side)
  }
}

async function measure({ line, source }: Side): Promise<number> {
  const { batches, fills } = await readBatches(source, FILLS_PER_ROUND)
  return fills / (await timeOf(() => line.append(handOut(batches))))
}

/** As PostgreSQL counts them while they come, which is near enough. */
async function countRows(pool: Pool): Promise<number> {
  const [row] = await pool<{ rows: number }[]>`
    select coalesce(sum(n_live_tup), 0)::float8 as rows
      from pg_stat_user_tables
     where schemaname = 'public'`
  return row?.rows ?? 0
}
