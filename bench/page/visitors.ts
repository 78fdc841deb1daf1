import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'

// Open home pages without a browser around them, in a process of their own: what each asks for, and its socket.

/** `polls`: what an open page asks for again and again. */
export type Visit = {
  port: number
  keys: string[]
  pages: number
  polls: { path: string; everyMs: number }[]
  subscribe: object
}

/** `statuses`: how often each came. */
export type Visited = { statuses: Record<string, number>; messages: number }

const visited: Visited = { statuses: {}, messages: 0 }
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

function ask(port: number, path: string, key: string): void {
  const count = (status: string | number) => {
    visited.statuses[status] = (visited.statuses[status] ?? 0) + 1
  }
  const headers = { 'x-api-key': key, 'accept-encoding': 'br' }
  const asked = request({ host: '127.0.0.1', port, path, headers, agent }, (answer) => {
    answer.on('end', () => count(answer.statusCode ?? 0))
    answer.resume()
  })
  asked.on('error', () => count('failed'))
  asked.end()
}

async function openPages({ port, keys, pages, polls, subscribe }: Visit): Promise<void> {
  for (let page = 0; page < pages; page++) {
    const key = keys[page % keys.length] ?? ''
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?key=${key}`)
    socket.on('open', () => socket.send(JSON.stringify({ action: 'subscribe', ...subscribe })))
    socket.on('message', () => visited.messages++)
    socket.on('error', () => undefined)
    // Pages were not all opened at once.
    for (const { path, everyMs } of polls) {
      setTimeout(() => setInterval(() => ask(port, path, key), everyMs), Math.random() * everyMs)
    }
    await wait(5)
  }
}

process.on('message', (visit: Visit | 'count') => {
  if (visit === 'count') process.send?.(visited)
  else void openPages(visit).then(() => process.send?.('open'))
})
