import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// The receiver of all webhooks, in a process of its own: answers at once, and notes the transaction
// and the time of each first attempt.

export type Arrivals = { txHashes: string[]; timesMs: number[]; requests: number }

const seen = new Set<string>()
let arrivals: Arrivals = { txHashes: [], timesMs: [], requests: 0 }

const server = createServer((request, response) => {
  const atMs = performance.timeOrigin + performance.now()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.writeHead(204).end()
    note(request.url ?? '', String(request.headers['webhook-id']), Buffer.concat(chunks), atMs)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

function note(path: string, eventId: string, body: Buffer, atMs: number): void {
  arrivals.requests++
  const key = `${path} ${eventId}`
  if (seen.has(key)) return
  seen.add(key)
  const at = body.indexOf('"transaction_hash":"')
  if (at < 0) return
  arrivals.txHashes.push(body.subarray(at + 20, at + 86).toString())
  arrivals.timesMs.push(atMs)
}

/** Asked for what came since the last time. */
process.on('message', () => {
  process.send?.(arrivals)
  arrivals = { txHashes: [], timesMs: [], requests: 0 }
})
process.on('disconnect', () => process.exit())
