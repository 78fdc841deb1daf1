// All trades of a market into a file, as they come, however many they are:
//   node dist/examples/download-market.js <market slug> [--format csv|ndjson|parquet] [--out <file>]
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { AuspexClient } from 'auspex-client'

const FORMATS = ['csv', 'ndjson', 'parquet'] as const

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { format: { type: 'string', default: 'csv' }, out: { type: 'string' } },
  })
  const [slug] = positionals
  const format = FORMATS.find((each) => each === values.format)
  if (slug === undefined || format === undefined) {
    throw new Error('Usage: download-market <market slug> [--format csv|ndjson|parquet] [--out <file>]')
  }

  const { AUSPEX_URL, AUSPEX_KEY } = process.env
  if (!AUSPEX_URL || !AUSPEX_KEY) throw new Error('Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md')
  const auspex = new AuspexClient({ baseUrl: AUSPEX_URL, apiKey: AUSPEX_KEY })
  const trades = await auspex.download('/v3/markets/slug/{slug}/trades/all', { path: { slug }, format })
  const file = values.out ?? `${slug}.${format}`
  let bytes = 0
  await pipeline(
    trades,
    async function* count(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        bytes += chunk.length
        process.stderr.write(`\r${file}: ${bytes.toLocaleString('en-US')} bytes`)
        yield chunk
      }
    },
    createWriteStream(file),
  )
  process.stderr.write('\n')
  console.log(`${file}: done, ${bytes} bytes`)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
