// Which side of an order book is heavier: +1 is bids alone, -1 asks alone. A line for each change of a book:
//   node dist/examples/book-imbalance.js <token id>… [--levels 5] [--count 10]
import { parseArgs } from 'node:util'
import { AuspexClient, type BookLevel } from 'auspex-client'

async function main(): Promise<void> {
  const { values, positionals: tokenIds } = parseArgs({
    allowPositionals: true,
    options: {
      levels: { type: 'string', default: '5' },
      count: { type: 'string', default: 'Infinity' },
    },
  })
  const [levels, count] = [Number(values.levels), Number(values.count)]
  if (tokenIds.length === 0 || !(levels > 0) || !(count > 0)) {
    throw new Error('Usage: book-imbalance <token id>… [--levels 5] [--count 10]')
  }

  const { AUSPEX_URL, AUSPEX_KEY } = process.env
  if (!AUSPEX_URL || !AUSPEX_KEY) throw new Error('Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md')
  const auspex = new AuspexClient({ baseUrl: AUSPEX_URL, apiKey: AUSPEX_KEY })
  const books = auspex.books(tokenIds)
  books.onStatus((status, { error }) => {
    if (status === 'reconnecting') console.error(`-- connecting again: ${error?.message}`)
  })
  let printed = 0
  for await (const { tokenId, bids, asks, isStale, slug } of books) {
    // A book that is not proven now comes again when it is.
    if (isStale) continue
    const [bid, ask] = [sumSizes(bids.slice(0, levels)), sumSizes(asks.slice(0, levels))]
    const imbalance = bid + ask === 0 ? 0 : (bid - ask) / (bid + ask)
    const best = `${bids[0]?.price ?? '-'}/${asks[0]?.price ?? '-'}`
    console.log(
      `${tokenId}  ${best}  ${bid.toFixed(2)}:${ask.toFixed(2)}  ${imbalance.toFixed(3)}  ${slug ?? ''}`,
    )
    if (++printed === count) break
  }
  auspex.close()
}

const sumSizes = (levels: readonly BookLevel[]) => levels.reduce((sum, { size }) => sum + Number(size), 0)

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
