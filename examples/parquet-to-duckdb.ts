// All trades of a wallet as a Parquet file, and a question to it in SQL (npm install @duckdb/node-api):
//   node dist/examples/parquet-to-duckdb.js <wallet> [--to <Unix seconds>] [--file trades.parquet]
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { AuspexClient } from 'auspex-client'

// Amounts are DECIMAL in the file and times TIMESTAMP, so that sums are exact.
const QUESTION = `
  select direction, count(*) as trades, sum(shares) as shares, sum(usd) as usd, max(timestamp) as newest
    from read_parquet($file)
   group by direction
   order by direction`

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { to: { type: 'string' }, file: { type: 'string', default: 'trades.parquet' } },
  })
  const [address] = positionals
  if (address === undefined)
    throw new Error('Usage: parquet-to-duckdb <wallet> [--to <Unix seconds>] [--file <path>]')

  const { AUSPEX_URL, AUSPEX_KEY } = process.env
  if (!AUSPEX_URL || !AUSPEX_KEY) throw new Error('Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md')
  const auspex = new AuspexClient({ baseUrl: AUSPEX_URL, apiKey: AUSPEX_KEY })
  const trades = await auspex.download('/v2/onchain/wallets/{address}/trades/all', {
    path: { address },
    // The fills of its own orders: what it bought and sold itself.
    query: { view: 'own', to: values.to === undefined ? undefined : Number(values.to) },
    format: 'parquet',
  })
  await pipeline(trades, createWriteStream(values.file))

  const database = await DuckDBInstance.create()
  const connection = await database.connect()
  const answer = await connection.runAndReadAll(QUESTION, { file: values.file })
  for (const row of answer.getRowObjectsJson()) console.log(JSON.stringify(row))
  connection.closeSync()
  database.closeSync()
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
