import { resolve } from 'node:path'
import { simulatedEnvironment } from '../../demo/simulator.js'
import { openSimulator } from '../../sim/simulator.js'
import { Universe } from '../../sim/universe/universe.js'
import { createPool } from '../../src/store/connection.js'
import { findFreePort } from '../free-port.js'
import { issueKey } from '../issue-key.js'
import { REDIS_PROGRAM, startRedis } from '../redis-server.js'
import { SECRET_KEY } from '../webhooks/hook-client.js'
import { ChainMemory } from './chain-memory.js'
import { KeyHolder } from './clients/key-holder.js'
import { Reader } from './clients/reader.js'
import { StreamClient } from './clients/stream-client.js'
import { WebhookOwner } from './clients/webhook-owner.js'
import { runCommand } from './commands.js'
import { openDatabaseProxy } from './faults/database-proxy.js'
import { openDatabaseServer } from './faults/database-server.js'
import { joinVariables, limitHeap } from './faults/memory-pressure.js'
import { createServiceClock, type ServiceClock } from './faults/service-clock.js'
import type { Plan } from './plan.js'
import { ServiceProcess } from './service-process.js'

const TICK_MS = 20
const MAIN = resolve(import.meta.dirname, '../../bin/auspex.js')
const STREAMS = 3

export type World = Awaited<ReturnType<typeof openWorld>>

export type WorldOptions = {
  /** A folder with a server that has the schema, of which each universe gets a copy. */
  template: string
  /** The same with the schema of an earlier version. */
  oldTemplate: string
  /** For its own server; there, empty, and open to all users. The caller removes it. */
  folder: string
  /** The program of the service; absent: the built one. */
  main?: string
}

/** A universe that lives fast, services that read it, their database, and clients. */
export async function openWorld(plan: Plan, { folder, main = MAIN, ...options }: WorldOptions) {
  const { seed, intensity, comboShare, historyMs, speed } = plan
  const presentMs = Math.floor(Date.now() / 1_000) * 1_000
  const startMs = presentMs - historyMs
  const universe = new Universe({ seed, startMs, intensity, oldEraIntensity: 1, comboShare })
  universe.advance(presentMs)
  const memory = new ChainMemory(universe)
  const simulator = await openSimulator(universe)
  const database = await openDatabaseServer({
    folder,
    template: plan.isUpgraded ? options.oldTemplate : options.template,
  })
  const proxy = await openDatabaseProxy(database.port)
  const redis = plan.hasRedis && REDIS_PROGRAM !== undefined ? await startRedis() : undefined

  const sql = createPool({ url: database.url }, 1)
  const keys: string[] = []
  for (let count = 0; count < KEYS; count++) {
    keys.push((await issueKey(sql, 'enterprise')).secret)
  }
  await sql.end()
  const [readerKey = '', streamKey = '', hookKey = '', compareKey = '', slowKey = ''] = keys

  const { firstNumber, head } = universe.chain
  const fromBlock = Math.max(firstNumber, head.number - (plan.blocksAtStart ?? Number.POSITIVE_INFINITY))
  // Without Chainlink, whose past prices the service reads before it is ready.
  const { AUSPEX_CHAINLINK_API_KEY: _, ...upstreams } = simulatedEnvironment(simulator.upstreams)
  const environment = {
    ...(upstreams as Record<string, string>),
    ...(!plan.hasPrices && NO_PRICES),
    AUSPEX_FROM_BLOCK: `${fromBlock}`,
    DATABASE_URL: `postgres://auspex@127.0.0.1:${proxy.port}/auspex`,
    AUSPEX_SECRET_KEY: SECRET_KEY,
    ...(redis !== undefined && { REDIS_URL: redis.url }),
    ...plan.settings,
  }
  const startedMs = Date.now()
  const clocks: ServiceClock[] = []
  const services: ServiceProcess[] = []
  for (const roles of plan.processes) {
    const clock = createServiceClock({ originMs: presentMs, startedMs, speed })
    clocks.push(clock)
    const heap = plan.heapMb === undefined ? {} : limitHeap(plan.heapMb)
    const env = joinVariables(environment, clock.env, heap)
    services.push(new ServiceProcess({ main, roles, port: await findFreePort(), env }))
  }
  const urlsOf = (role: string) =>
    services.filter(({ roles }) => roles.includes(role)).map((service) => service.url)

  const live = () => universe.advance(presentMs + (Date.now() - startedMs) * speed)
  let living = setInterval(live, TICK_MS)
  for (const service of services) service.start()
  let reorgMs: number | undefined
  universe.on('reorg', () => {
    reorgMs = performance.now()
  })
  const reader = new Reader(urlsOf('api'), readerKey, {
    newestBlock: () => universe.chain.head.number,
    reorgMs: () => reorgMs,
  })
  const streams = Array.from(
    { length: STREAMS },
    (_unused, index) => new StreamClient(urlsOf('stream'), streamKey, index),
  )
  const webhooks = await WebhookOwner.open(urlsOf('api'), hookKey)
  const keyHolder = new KeyHolder(urlsOf('api'), compareKey)

  return {
    universe,
    memory,
    simulator,
    services,
    database,
    proxy,
    redis,
    reader,
    streams,
    webhooks,
    keyHolder,
    clocks,
    fromBlock,
    /** A command of the service on the same database, in the time of the first process. */
    command: (...args: string[]) => runCommand(main, args, { ...environment, ...clocks[0]?.env }),
    keys: { readerKey, compareKey, slowKey },
    urlsOf,
    /** The universe stands still from now on. */
    freeze: () => clearInterval(living),
    /** It lives again, and at once through the time in which it stood still. */
    thaw: () => {
      living = setInterval(live, TICK_MS)
    },
    close: async () => {
      clearInterval(living)
      await Promise.all([reader, ...streams].map((client) => client.close()))
      await Promise.all(services.map((service) => service.kill()))
      for (const clock of clocks) clock.remove()
      await webhooks.close()
      await redis?.remove()
      await proxy.close()
      await database.remove()
      await simulator.close()
    },
  }
}

const KEYS = 5
/** The sockets that send them are switched off. */
const NO_PRICES = {
  AUSPEX_CLOB_API_KEY: '',
  AUSPEX_RTDS_WS_URL: 'off',
  AUSPEX_SPORTS_WS_URL: 'off',
}
