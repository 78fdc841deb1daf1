import { once } from 'node:events'
import { WebSocket } from 'ws'

// A thousand clients in a process of their own: some want every trade, the others those of a few wallets or questions.

export type OpenSockets = { port: number; key: string; wallets: string[]; conditions: string[] }
export type SocketReport = { open: number; frames: number; closes: number[] }

export const SOCKETS = 1_000
const FIREHOSES = 20
const OF_WALLETS = 700
const CONNECTS_AT_ONCE = 50
const ITEMS = 5

const sockets = new Set<WebSocket>()
let frames = 0
const closes: number[] = []

process.on('message', async (request: OpenSockets | 'report') => {
  if (request !== 'report') {
    for (let from = 0; from < SOCKETS; from += CONNECTS_AT_ONCE) {
      const some = Array.from({ length: CONNECTS_AT_ONCE }, (_, index) => open(from + index, request))
      await Promise.all(some)
    }
  }
  process.send?.({ open: sockets.size, frames, closes } satisfies SocketReport)
})
process.on('disconnect', () => process.exit())

async function open(number: number, { port, key, wallets, conditions }: OpenSockets): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?key=${key}`)
  await once(socket, 'open')
  sockets.add(socket)
  socket.on('message', () => frames++)
  socket.on('close', (code) => {
    sockets.delete(socket)
    closes.push(code)
  })
  const filters = filtersOf(number, wallets, conditions)
  socket.send(JSON.stringify({ action: 'subscribe', event_types: ['trade'], filters, snapshot_count: 0 }))
}

function filtersOf(number: number, wallets: readonly string[], conditions: readonly string[]): object {
  const some = (from: readonly string[]) =>
    Array.from({ length: ITEMS }, (_, index) => from[(number * 7 + index * 131) % from.length] ?? '')
  if (number < FIREHOSES) return {}
  return number < FIREHOSES + OF_WALLETS
    ? { wallets: [...new Set(some(wallets))] }
    : { condition_ids: [...new Set(some(conditions))] }
}
