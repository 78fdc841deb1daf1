import { expect, inject, vi } from 'vitest'
import { simulatedEnvironment } from '../../demo/simulator.js'
import { openSimulator } from '../../sim/simulator.js'
import { Universe } from '../../sim/universe/universe.js'
import type { PlanId } from '../../src/accounts/plans.js'
import { createTestDatabase } from '../database.js'
import { issueKey } from '../issue-key.js'
import { type Running, startAuspex } from '../processes.js'
import { randomFrom } from '../random.js'

/** Longer than a window of five minutes: the one that is open belongs to the universe. */
const HISTORY_MS = 6 * 60_000
const TICK_MS = 20
/** The service begins this many blocks before the present, unless told otherwise: streams need no older past. */
const BLOCKS_BEFORE = 10

export type StreamWorld = Awaited<ReturnType<typeof openStreamWorld>>

type WorldOptions = {
  seed: number
  /** About a fill in 5 s at 1. */
  intensity?: number
  /** Processes on the same database. */
  services?: number
  /** More happens, as in the present of a demo. */
  isLively?: boolean
  blocksBefore?: number
  comboShare?: number
  /** Settings of the services beside the addresses of the upstreams. */
  settings?: Readonly<Record<string, string>>
}

/** A universe that lives in real time, and service processes that read it and can be killed. */
export async function openStreamWorld(options: WorldOptions) {
  const { seed, intensity = 30, services: count = 1, isLively = false, settings } = options
  const { blocksBefore = BLOCKS_BEFORE, comboShare } = options
  const startMs = Math.floor((Date.now() - HISTORY_MS) / 1000) * 1000
  const presentMs = isLively ? startMs + HISTORY_MS : undefined
  const universe = new Universe({
    seed,
    startMs,
    intensity,
    ...(presentMs && { presentMs }),
    ...(comboShare !== undefined && { comboShare }),
  })
  universe.advance(Date.now())
  const simulator = await openSimulator(universe)
  const database = await createTestDatabase()
  let ticking = setInterval(() => universe.advance(Date.now()), TICK_MS)

  const fromBlock = universe.chain.head.number - blocksBefore
  const { database: name } = database.target as { database: string }
  // Without Chainlink, whose past prices the service reads before it is ready.
  const { AUSPEX_CHAINLINK_API_KEY: _, ...upstreams } = simulatedEnvironment(simulator.upstreams)
  const environment = {
    ...upstreams,
    AUSPEX_FROM_BLOCK: String(fromBlock),
    DATABASE_URL: `postgres://auspex@localhost/${name}?host=${inject('socketDir')}`,
    ...settings,
  }
  const start = (port: string | number): Promise<Running> =>
    startAuspex(['--port', String(port)], environment as Record<string, string>)
  const services = await Promise.all(Array.from({ length: count }, () => start(0)))
  // Slugs can be named once their markets are known.
  await vi.waitFor(
    async () => {
      const rows = await database.sql`select from catalogue_state where phase <> 'open'`
      expect(rows.length).toBe(1)
    },
    { timeout: 60_000 },
  )
  const ports = services.map(({ url }) => new URL(url).port)

  const order = async (body: object): Promise<void> => {
    const reply = await fetch(`${simulator.url}/faults`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    if (reply.status !== 200) throw new Error(await reply.text())
  }
  /** A key of a new account. */
  const createCaller = async (plan: PlanId = 'enterprise'): Promise<string> =>
    (await issueKey(database.sql, plan)).secret
  return {
    universe,
    simulator,
    sql: database.sql,
    /** The first block that the services read. */
    fromBlock,
    /** Where each process listens, also after a restart. */
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    createCaller,
    /** The address of a socket with a key of a new account, as each process has it. */
    createAddresses: async (path = '/ws', plan: PlanId = 'enterprise') => {
      const key = await createCaller(plan)
      return ports.map((port) => `ws://127.0.0.1:${port}${path}?key=${key}`)
    },
    order,
    /** kill -9. */
    kill: (index: number) => services[index]?.stop('SIGKILL'),
    /** Under the same address as before. */
    restart: async (index: number) => {
      services[index] = await start(ports[index] ?? 0)
    },
    /** Ends the faults, and the universe stands still. Returns the last block. */
    freeze: async () => {
      await order({ upstream: '*', mode: 'off' })
      clearInterval(ticking)
      const { head } = universe.chain
      return { number: head.number, hash: universe.chain.hashOf(head) }
    },
    thaw: () => {
      ticking = setInterval(() => universe.advance(Date.now()), TICK_MS)
    },
    close: async () => {
      clearInterval(ticking)
      for (const service of services) await service.stop()
      await simulator.close()
      await database.drop()
    },
  }
}

/** Faults that a service must get through without a client noticing. */
const FAULTS = [
  { upstream: 'polygon', mode: 'drop', seconds: 0.5 },
  { upstream: 'polygon', mode: '500', rate: 0.4, seconds: 2 },
  { upstream: 'polygon', mode: '429', rate: 0.4, seconds: 2 },
  { upstream: 'polygon', mode: 'slow', rate: 0.3, delayMs: 300, seconds: 2 },
  { upstream: 'polygon', mode: 'garbage', rate: 0.2, seconds: 2 },
  { upstream: 'polygon', mode: 'truncated', rate: 0.2, seconds: 2 },
  { upstream: 'polygon', mode: 'duplicate', rate: 0.5, seconds: 3 },
  { upstream: 'polygon', mode: 'missed-heads', seconds: 3 },
  { upstream: 'gamma', mode: '500', rate: 0.5, seconds: 3 },
  { upstream: 'gamma', mode: 'slow', rate: 0.5, delayMs: 500, seconds: 3 },
] as const

type Trouble = {
  seed: number
  forMs: number
  reorgDepthMax?: number
  /** Also faults of these. */
  more?: readonly object[]
}

/** Orders a fault or a reorganisation every second or so, always in the same order for the same seed. */
export async function makeTrouble(world: StreamWorld, trouble: Trouble): Promise<void> {
  const { seed, forMs, reorgDepthMax = 4, more = [] } = trouble
  const below = randomFrom(seed)
  const faults = [...FAULTS, ...more]
  for (const endMs = Date.now() + forMs; Date.now() < endMs; ) {
    if (reorgDepthMax > 0 && below(3) === 0) await world.order({ reorg: 1 + below(reorgDepthMax) })
    else await world.order(faults[below(faults.length)] ?? {})
    await new Promise((next) => setTimeout(next, 600 + below(800)))
  }
}
