import { Registry } from 'prom-client'
import { beforeAll, describe, test } from 'vitest'
import { createClobHost } from '../../../sim/clob/host.js'
import { createDataApiHost } from '../../../sim/data-api/host.js'
import { createGammaHost } from '../../../sim/gamma/host.js'
import { createPolygonHost } from '../../../sim/polygon/host.js'
import type { FaultMode, HostName } from '../../../sim/server/fault-order.js'
import { Faults } from '../../../sim/server/faults.js'
import type { HostParts } from '../../../sim/server/handlers.js'
import { openHost } from '../../../sim/server/host.js'
import { createSiteHost } from '../../../sim/site-price/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { createXApiHost } from '../../../sim/x-api/host.js'
import { systemClock } from '../../core/clock.js'
import { ClobClient } from '../clob/client.js'
import { DataApiClient } from '../data-api/client.js'
import { GammaClient } from '../gamma/client.js'
import { PolygonClient } from '../polygon/client.js'
import { SitePriceClient } from '../site-price/client.js'
import { XApiClient } from '../x-api/client.js'
import type { ConnectorOptions } from './http.js'
import { createUpstreamMetrics } from './metrics.js'

type Connector = { close(): Promise<void> }
type Case<Client extends Connector = Connector> = {
  name: HostName
  createHost: (universe: Universe, faults: Faults) => HostParts
  connect: (options: ConnectorOptions) => Client
  ask: (client: Client) => Promise<unknown>
}

const START_MS = Date.UTC(2026, 10, 12)
const universe = new Universe({ seed: 15, startMs: START_MS })
beforeAll(() => universe.advance(START_MS + 15 * 60_000))

const openTokens = () => {
  const coming = universe.catalogue.events().filter(({ endMs }) => endMs > universe.nowMs)
  return coming.slice(0, 30).flatMap(({ markets }) => markets[0]?.tokens[0].decimal ?? [])
}

const defineCase = <Client extends Connector>(each: Case<Client>) => ({
  name: each.name,
  open: (timeoutMs?: number) => open(each, timeoutMs),
})

const CONNECTORS = [
  defineCase({
    name: 'gamma',
    createHost: createGammaHost,
    connect: (options) => new GammaClient(options),
    ask: (gamma) => gamma.listSports(),
  }),
  defineCase({
    name: 'clob',
    createHost: (universe) => createClobHost(universe),
    connect: (options) => new ClobClient(options),
    ask: (clob) => clob.getMidpoints(openTokens()),
  }),
  defineCase({
    name: 'data_api',
    createHost: createDataApiHost,
    connect: (options) => new DataApiClient(options),
    ask: (data) => data.listBuilders(),
  }),
  defineCase({
    name: 'site',
    createHost: createSiteHost,
    connect: (options) => new SitePriceClient(options),
    ask: (site) => site.getCandles({ symbol: 'BTC', interval: '1m', limit: 5 }),
  }),
  defineCase({
    name: 'x_api',
    createHost: (universe) => createXApiHost(universe, { bearerToken: 'token' }),
    connect: (options) => new XApiClient({ ...options, bearerToken: 'token' }),
    ask: (x) => x.searchRecent({ query: 'bitcoin', count: 10 }),
  }),
  defineCase({
    name: 'polygon',
    createHost: createPolygonHost,
    connect: (options) => new PolygonClient(options),
    ask: (polygon) => polygon.getBlock('latest'),
  }),
]

/** A connector on a host of its own that can be broken; waits take no time but are counted as if they did. */
async function open<Client extends Connector>(
  { name, createHost, connect, ask }: Case<Client>,
  timeoutMs: number | undefined,
) {
  const faults = new Faults()
  const host = await openHost(name, faults, createHost(universe, faults))
  const metrics = createUpstreamMetrics(new Registry())
  const time = { nowMs: 0 }
  const timing = {
    now: () => time.nowMs,
    sleep: async (ms: number) => {
      time.nowMs += ms
    },
  }
  const client = connect({ url: host.url, metrics, clock: systemClock, timing, timeoutMs })
  return {
    time,
    ask: () => ask(client),
    fault: (mode: FaultMode | 'off', more: { rate?: number; delayMs?: number } = {}) =>
      faults.set({ upstream: name, mode, ...more }),
    tries: async () => {
      const { values } = await metrics.requests.get()
      return values.reduce((sum, { value }) => sum + value, 0)
    },
    /** 0 closed, 1 half-open, 2 open. */
    breaker: async () => (await metrics.breaker.get()).values[0]?.value,
    close: async () => {
      await client.close()
      await host.close()
    },
  }
}

const FAILING = ['429', '500', 'garbage', 'truncated', 'drop', 'half-open', 'slow'] as const
const HARMLESS = [
  'silent',
  'duplicate',
  'skew',
  'missed-heads',
  'range-too-large',
  'too-many-results',
] as const
const SHORT_MS = 400
/** Longer than a connector waits, also on a busy machine, whose connectors wait longer. */
const NEVER_MS = 60_000

describe.concurrent.each(CONNECTORS)('$name', (connector) => {
  test.for(FAILING)('%s: gives up after four tries, and recovers by itself', async (mode, { expect }) => {
    const timeoutMs = mode === 'half-open' || mode === 'slow' ? SHORT_MS : undefined
    const { ask, fault, tries, breaker, close } = await connector.open(timeoutMs)
    const healthy = await ask()
    const triesBefore = await tries()
    fault(mode, { delayMs: NEVER_MS })
    await expect(ask()).rejects.toMatchObject({ name: 'UpstreamError', retryable: true })
    expect(await tries()).toBe(triesBefore + 4)
    fault('off')
    expect(await ask()).toEqual(healthy)
    expect(await breaker()).toBe(0)
    await close()
  })

  test.for(['429', '500', 'garbage', 'truncated'] as const)(
    '%s on every other request: the caller gets the same answers',
    async (mode, { expect }) => {
      const { ask, fault, close } = await connector.open()
      const healthy = await ask()
      fault(mode, { rate: 0.5 })
      for (let call = 0; call < 8; call++) expect(await ask()).toEqual(healthy)
      await close()
    },
  )

  test.for(HARMLESS)('%s: does not touch it', async (mode, { expect }) => {
    const { ask, fault, tries, close } = await connector.open()
    const healthy = await ask()
    fault(mode)
    expect(await ask()).toEqual(healthy)
    expect(await tries()).toBe(2)
    await close()
  })

  test('a slow answer is an answer', async ({ expect }) => {
    const { ask, fault, tries, close } = await connector.open()
    fault('slow', { delayMs: 30 })
    await ask()
    expect(await tries()).toBe(1)
    await close()
  })

  test('a stale answer reads like any other', async ({ expect }) => {
    const { ask, fault, close } = await connector.open()
    const old = await ask()
    fault('stale')
    expect(await ask()).toEqual(old)
    await close()
  })

  test('ten minutes of 500: less than a try a second, then back within a minute', async ({ expect }) => {
    const { ask, fault, time, tries, breaker, close } = await connector.open()
    const healthy = await ask()
    fault('500')
    while (time.nowMs < 600_000) {
      await expect(ask()).rejects.toMatchObject({ name: 'UpstreamError', retryable: true })
      time.nowMs += 2_000
    }
    expect(await tries()).toBeLessThan(60)
    expect(await breaker()).toBe(2)
    fault('off')
    time.nowMs += 75_000
    expect(await ask()).toEqual(healthy)
    expect(await breaker()).toBe(0)
    await close()
  })
})
