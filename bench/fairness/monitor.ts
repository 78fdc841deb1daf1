import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

// A customer of another account than the attacker, in a process of its own: asks for pages and for the health of
// the service at a steady pace, and receives webhooks.

export type Watch = { port: number; key: string; paths: string[]; seconds: number; keepsAlive: boolean }

export type Seen = {
  pageMs: number[]
  healthMs: number[]
  /** Answers that were no 200, and connections that were refused. */
  failures: number
  chainAgeSeconds: number
  /** From the making of an event to its arrival. */
  webhookMs: number[]
}

const PAGE_EVERY_MS = 50
const HEALTH_EVERY_MS = 100
const AGE_EVERY_MS = 500

let webhookMs: number[] = []

async function watch({ port, key, paths, seconds, keepsAlive }: Watch): Promise<Seen> {
  const seen: Seen = { pageMs: [], healthMs: [], failures: 0, chainAgeSeconds: 0, webhookMs: [] }
  const endMs = performance.now() + seconds * 1_000
  const agents = [0, 1, 2].map(() => new Agent({ keepAlive: keepsAlive, maxSockets: 1 }))
  const [pageAgent, healthAgent, ageAgent] = agents
  webhookMs = []
  const ask = async (path: string, agent: Agent | undefined, spent: number[]) => {
    const startedMs = performance.now()
    try {
      const { status, body } = await get({ port, path, key, agent })
      if (status !== 200) throw new Error(`${status} ${body}`)
      spent.push(performance.now() - startedMs)
      return body
    } catch {
      seen.failures++
      return undefined
    }
  }
  const every = async (ms: number, act: (run: number) => Promise<unknown>) => {
    for (let run = 0; performance.now() < endMs; run++) {
      const nextMs = performance.now() + ms
      await act(run)
      await wait(Math.max(0, nextMs - performance.now()))
    }
  }
  await Promise.all([
    every(PAGE_EVERY_MS, (run) => ask(paths[run % paths.length] ?? '', pageAgent, seen.pageMs)),
    every(HEALTH_EVERY_MS, () => ask('/healthz', healthAgent, seen.healthMs)),
    every(AGE_EVERY_MS, async () => {
      const body = await ask('/v1/status', ageAgent, [])
      const { chain } = JSON.parse(body ?? '{}') as { chain?: { block_age_seconds?: number | null } }
      seen.chainAgeSeconds = Math.max(seen.chainAgeSeconds, chain?.block_age_seconds ?? 0)
    }),
  ])
  for (const agent of agents) agent.destroy()
  seen.webhookMs = webhookMs
  return seen
}

type Get = { port: number; path: string; key: string; agent: Agent | undefined }

function get({ port, path, key, agent }: Get): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': key }
    const asked = request({ host: '127.0.0.1', port, path, headers, agent, timeout: 30_000 }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      )
    })
    asked.on('timeout', () => asked.destroy(new Error('no answer')))
    asked.on('error', reject)
    asked.end()
  })
}

const receiver = createServer((delivery, response) => {
  const atMs = Date.now()
  const chunks: Buffer[] = []
  delivery.on('data', (chunk: Buffer) => chunks.push(chunk))
  delivery.on('end', () => {
    response.writeHead(204).end()
    const { created_at } = JSON.parse(Buffer.concat(chunks).toString()) as { created_at: string }
    webhookMs.push(atMs - Date.parse(`${created_at.slice(0, 23)}Z`))
  })
})
receiver.listen(0, '127.0.0.1', () => process.send?.((receiver.address() as AddressInfo).port))

process.on('message', (asked: Watch) => void watch(asked).then((seen) => process.send?.(seen)))
process.on('disconnect', () => process.exit())
