import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { counts } from './counts.js'
import {
  countAddresses,
  createDataDir,
  processesOn,
  type Running,
  startAuspex,
} from './processes.js'

const CRASHES = counts({ short: 5, long: 50 })

let folder: ReturnType<typeof createDataDir>
let service: Running | undefined
beforeAll(() => {
  folder = createDataDir()
})
afterAll(async () => {
  await service?.stop('SIGKILL')
  await vi.waitFor(() => expect(processesOn(folder.dataDir)).toEqual([]), { timeout: 10_000 })
  folder.remove()
})

const nextAddress = countAddresses()
const start = () => startAuspex(['--data', folder.dataDir, '--trusted-proxies', 'loopback'])

/** Makes keys and counts usage until the service is gone; returns the keys that it acknowledged. */
async function load(url: string, known: string[]): Promise<string[]> {
  const acknowledged: string[] = []
  while (true) {
    try {
      const created = await fetch(`${url}/v1/keys`, {
        method: 'POST',
        headers: { 'x-forwarded-for': nextAddress() },
      })
      if (created.status !== 201) return acknowledged
      const { api_key: key } = (await created.json()) as { api_key: string }
      acknowledged.push(key)
      const older = known[acknowledged.length % Math.max(1, known.length)] ?? key
      await fetch(`${url}/v1/status`, { headers: { 'x-api-key': older } })
    } catch {
      return acknowledged
    }
  }
}

test(
  `${CRASHES} times killed under load: every start comes up and every acknowledged key works`,
  async () => {
    const acknowledged: string[] = []
    for (let crash = 1; crash <= CRASHES; crash++) {
      service = await start()
      const loads = Array.from({ length: 4 }, () => load(service?.url ?? '', acknowledged))
      await new Promise((next) => setTimeout(next, 50 + ((crash * 97) % 250)))
      await service.stop('SIGKILL')
      for (const keys of await Promise.all(loads)) acknowledged.push(...keys)
    }
    expect(acknowledged.length).toBeGreaterThan(CRASHES)

    service = await start()
    const { url } = service
    for (const key of acknowledged) {
      const reply = await fetch(`${url}/v1/status`, { headers: { 'x-api-key': key } })
      expect(reply.status).toBe(200)
    }
    expect(await service.stop()).toBe(0)
    expect(processesOn(folder.dataDir)).toEqual([])
  },
  counts({ short: 60_000, long: 600_000 }),
)
