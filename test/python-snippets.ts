import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { DemoFile } from '../demo/demo-file.js'

/** Whether there is a Python 3 here, with this module. */
export const hasPython = (module = 'json'): boolean =>
  spawnSync('python3', ['-c', `import ${module}`]).status === 0

/** The one in `docs/api.md` that has this text. */
function findSnippet(text: string): string {
  const page = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')
  const snippets = [...page.matchAll(/```python\n(.*?)```/gs)].map(([, code = '']) => code)
  return snippets.find((code) => code.includes(text)) ?? expect.fail(`no snippet has ${text}`)
}

function runSnippet(code: string, environment: Record<string, string>) {
  const child = spawn('python3', ['-c', code], { env: { ...process.env, ...environment } })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => output.push(String(chunk)))
  }
  return { child, lines: () => output.join('').trim().split('\n') }
}

const PAGE = 10

/** The snippet meets a limit at its first request, and pages that are small. */
export async function checkWalk({ url, keys, samples }: DemoFile): Promise<void> {
  const sent: string[] = []
  const proxy = createServer(async ({ url: path = '', headers }, response) => {
    sent.push(path)
    if (sent.length === 1) {
      response.writeHead(429, { 'retry-after': '1' }).end('{"error":"too many"}')
      return
    }
    const small = path.replace('limit=300', `limit=${PAGE}`)
    const key = String(headers['x-api-key'])
    const reply = await fetch(url + small, { headers: { 'x-api-key': key } })
    response.writeHead(reply.status).end(await reply.text())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  try {
    const path = `/v3/wallets/${samples.wallet}/trades`
    const reply = await fetch(`${url}${path}?limit=300`, { headers: { 'x-api-key': keys.growth } })
    const { trades } = (await reply.json()) as { trades: { id: string }[] }
    const { port } = proxy.address() as AddressInfo
    const environment = { URL: `http://127.0.0.1:${port}`, KEY: keys.growth }
    const { child, lines } = runSnippet(findSnippet('def walk'), {
      ...environment,
      WALLET: samples.wallet,
    })
    const [status] = await once(child, 'close')
    expect(status, lines().join('\n')).toBe(0)
    const walked = lines().map((line) => line.split(' ').at(-1))
    // The walk may have begun after further trades.
    expect(walked.slice(-trades.length)).toEqual(trades.map(({ id }) => id))
    expect(new Set(walked).size).toBe(walked.length)
    expect(walked.length).toBeGreaterThan(2 * PAGE)
    expect(sent.length).toBeGreaterThan(walked.length / PAGE)
  } finally {
    proxy.close()
    proxy.closeAllConnections()
  }
}

/** The snippet loses its first connection, and asks for what comes after the last event that it had. */
export async function checkResume({ ws_url: url, keys }: DemoFile): Promise<void> {
  const subscriptions: { since_seq?: number }[] = []
  const resumes: unknown[] = []
  const delivered: number[] = []
  const proxy = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  proxy.on('connection', (client, { headers }) => {
    const isFirst = subscriptions.length === 0
    const service = new WebSocket(`${url}/ws`, {
      headers: { 'x-api-key': String(headers['x-api-key']) },
    })
    client.on('message', async (text) => {
      subscriptions.push(JSON.parse(String(text)))
      if (service.readyState !== WebSocket.OPEN) await once(service, 'open')
      service.send(String(text))
    })
    client.on('close', () => service.close())
    service.on('message', (text) => {
      if (client.readyState !== WebSocket.OPEN) return
      const { type, seq, events = [], resume } = JSON.parse(String(text))
      if (resume !== undefined) resumes.push(resume)
      const numbers = [seq, ...events.map((event: { seq: number }) => event.seq)]
      delivered.push(...numbers.filter((number) => number !== undefined))
      client.send(String(text))
      if (isFirst && type === 'snapshot') client.close(1011)
    })
  })
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  const environment = { WS_URL: `ws://127.0.0.1:${port}`, KEY: keys.growth }
  const { child, lines } = runSnippet(findSnippet('since_seq'), environment)
  try {
    const seqs = () => lines().map((line) => Number.parseInt(line, 10))
    await vi.waitFor(
      () => {
        expect(subscriptions.length, lines().join('\n')).toBe(2)
        expect(seqs().length).toBeGreaterThan(25)
      },
      { timeout: 60_000, interval: 100 },
    )
    child.kill()
    await once(child, 'close')
    expect(seqs()).toEqual(delivered.slice(0, seqs().length))
    expect(seqs()).toEqual([...new Set(seqs())].sort((a, b) => a - b))
    expect(delivered).toContain(subscriptions[1]?.since_seq)
    expect(resumes).toEqual(['exact'])
  } finally {
    child.kill()
    proxy.close()
    for (const client of proxy.clients) client.terminate()
  }
}
