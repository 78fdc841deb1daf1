import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { archive } from './archive.js'
import { books } from './books.js'
import { catchUp } from './catch-up.js'
import { copyPnl } from './copy-pnl.js'
import { decode } from './decode.js'
import { fairness } from './fairness.js'
import { fanout } from './fanout.js'
import { httpAuth } from './http-auth.js'
import { httpCached } from './http-cached.js'
import { ingest } from './ingest.js'
import { ingestGrowth } from './ingest-growth.js'
import { ingestHead } from './ingest-head.js'
import { ingestMemory } from './ingest-memory.js'
import { leaderboard } from './leaderboard.js'
import type { Bench } from './lib/bench.js'
import { compare, showComparison } from './lib/compare.js'
import { showProgress } from './lib/progress.js'
import { limitsGrowth } from './limits-growth.js'
import { match } from './match.js'
import { page } from './page.js'
import { recordBooks, recordBooksSize } from './record-books.js'
import { replay } from './replay.js'
import { roles } from './roles.js'
import { simFills } from './sim-fills.js'
import { simStart } from './sim-start.js'
import { sports } from './sports.js'
import { steady } from './steady.js'
import { ticks } from './ticks.js'
import { ticksBr } from './ticks-br.js'
import { ticksGrowth } from './ticks-growth.js'
import { ticksRange } from './ticks-range.js'
import { tradesAll } from './trades-all.js'
import { v3Growth } from './v3-growth.js'
import { v3Page } from './v3-page.js'
import { webhookDelivery } from './webhook-delivery.js'
import { webhookLatency } from './webhook-latency.js'
import { webhookMatch } from './webhook-match.js'

const BENCHES: Bench[] = [
  httpCached,
  httpAuth,
  limitsGrowth,
  match,
  webhookMatch,
  webhookLatency,
  webhookDelivery,
  decode,
  ingest,
  ingestGrowth,
  ingestHead,
  ingestMemory,
  catchUp,
  archive,
  simFills,
  simStart,
  ticks,
  ticksBr,
  ticksRange,
  ticksGrowth,
  books,
  recordBooks,
  recordBooksSize,
  v3Page,
  copyPnl,
  v3Growth,
  leaderboard,
  tradesAll,
  sports,
  fanout,
  replay,
  fairness,
  page,
  roles,
  steady,
]
const RESULTS = join(import.meta.dirname, '../../bench/results')

const [wanted] = process.argv.slice(2)
const chosen = BENCHES.filter(({ name }) => wanted === undefined || name === wanted)
if (chosen.length === 0) {
  console.error(`There is no bench "${wanted}". Choose from: ${BENCHES.map((b) => b.name).join(', ')}`)
  process.exit(2)
}

for (const bench of chosen) {
  console.log(`${bench.name}: ${bench.promise}`)
  const contest = await bench.prepare()
  try {
    const comparison = await compare(contest, showProgress)
    console.log(showComparison(bench, comparison))
    mkdirSync(RESULTS, { recursive: true })
    const result = {
      name: bench.name,
      promise: bench.promise,
      command: `npm run bench ${bench.name}`,
      date: new Date().toISOString(),
      machine: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
      ...comparison,
    }
    writeFileSync(join(RESULTS, `${bench.name}.json`), `${JSON.stringify(result, null, 2)}\n`)
  } finally {
    await contest.close()
  }
}
