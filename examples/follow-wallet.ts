// Prints what a wallet does as it happens, after its last events:
//   node dist/examples/follow-wallet.js <wallet> [--count 10]
import { parseArgs } from 'node:util'
import { AuspexClient, type StreamEvent } from 'auspex-client'

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { count: { type: 'string', default: 'Infinity' } },
  })
  const [wallet] = positionals
  const count = Number(values.count)
  if (wallet === undefined || !(count > 0)) throw new Error('Usage: follow-wallet <wallet> [--count 10]')

  const { AUSPEX_URL, AUSPEX_KEY } = process.env
  if (!AUSPEX_URL || !AUSPEX_KEY) throw new Error('Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md')
  const auspex = new AuspexClient({ baseUrl: AUSPEX_URL, apiKey: AUSPEX_KEY })
  const events = auspex.subscribe({ type: 'wallets', filters: { wallets: [wallet], status: 'confirmed' } })
  events.onStatus((status, { error }) => {
    if (status === 'reconnecting') console.error(`-- connecting again: ${error?.message}`)
  })
  let printed = 0
  for await (const event of events) {
    const text = event.type === 'gap' ? '-- some events are missing here' : describe(event, wallet)
    if (text === undefined) continue
    console.log(text)
    if (++printed === count) break
  }
  auspex.close()
}

/** `undefined`: nothing that the wallet did itself. */
function describe(event: StreamEvent, wallet: string): string | undefined {
  if (event.type === 'event' || event.type === 'settlement' || event.type === 'status_update')
    return undefined
  const time = new Date(event.timestamp).toISOString()
  if (event.type !== 'trade') return `${time}  ${event.type}`
  const { maker, side, size, price, tx_hash: hash, market_title: title } = event.data
  // Each order of a match has a fill of its own, and `maker` is the owner of the order, also of the one that took.
  if (maker !== wallet.toLowerCase()) return undefined
  return `${time}  ${side} ${size} at ${price}  ${hash}  ${title ?? ''}`
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
