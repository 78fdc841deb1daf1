import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { counts } from './counts.js'
import { countAddresses, createDataDir, expectNoProcesses, type Running, startAuspex } from './processes.js'

const CRASHES = counts({ short: 2, long: 50 })

let folder: ReturnType<typeof createDataDir>
let service: Running | undefined
beforeAll(() => {
  folder = createDataDir()
})
afterAll(async () => {
  await service?.stop('SIGKILL')
  await expectNoProcesses(folder.dataDir)
  folder.remove()
})

const nextAddress = countAddresses()
const start = () => startAuspex(['--data', folder.dataDir, '--trusted-proxies', 'loopback'])

/** Makes keys and counts usage until the service is gone; adds the keys that it acknowledged. */
async function load(url: string, acknowledged: string[]): Promise<void> {
  while (true) {
    try {
      const created = await fetch(`${url}/v1/keys`, {
        method: 'POST',
        headers: { 'x-forwarded-for': nextAddress() },
      })
      if (created.status !== 201) return
      const { api_key: key } = (await created.json()) as { api_key: string }
      const older = acknowledged[Math.floor(acknowledged.length / 2)] ?? key
      acknowledged.push(key)
      await fetch(`${url}/v1/status`, { headers: { 'x-api-key': older } })
    } catch {
      return
    }
  }
}

test(
  `${CRASHES} times killed under load: every start comes up and every acknowledged key works`,
  async () => {
    const acknowledged: string[] = []
    for (let crash = 1; crash <= CRASHES; crash++) {
      service = await start()
      const { url } = service
      const known = acknowledged.length
      const loads = Array.from({ length: 4 }, () => load(url, acknowledged))
      await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(known), 10_000)
      await new Promise((next) => setTimeout(next, 50 + ((crash * 97) % 250)))
      await service.stop('SIGKILL')
      await Promise.all(loads)
    }

    service = await start()
    const { url } = service
    for (const key of acknowledged) {
      const reply = await fetch(`${url}/v1/status`, { headers: { 'x-api-key': key } })
      expect(reply.status).toBe(200)
    }
    expect(await service.stop()).toBe(0)
    await expectNoProcesses(folder.dataDir)
  },
  counts({ short: 300_000, long: 900_000 }),
)
