import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { counts } from '../counts.js'
import { randomFrom } from '../random.js'
import { readCanonicalFills } from '../streams/canonical-fills.js'
import { openStreamWorld, type StreamWorld } from '../streams/stream-world.js'
import { createHookClient, type Hook, type HookClient, SECRET_KEY } from './hook-client.js'
import { type Answer, openReceiver, type ReceivedRequest, type Receiver } from './receiver.js'

const KILLS = counts({ short: 2, long: 50 })
const SERVICES = 2
/** After this many kills the last blocks of the chain are replaced. */
const KILLS_PER_REORG = 2
const REORG_DEPTH = 5
/** Longer than the first pause between attempts: what failed at first has come by then. */
const DRAIN_MS = 60_000
const PATHS = { all: '/all', sells: '/sells', redemptions: '/redemptions', results: '/results' }

let world: StreamWorld
let receiver: Receiver
/** Ends with the last kill, so that the test does not wait for retries of what came later. */
let isUnreliable = true
beforeAll(async () => {
  const settings = { AUSPEX_SECRET_KEY: SECRET_KEY }
  world = await openStreamWorld({ seed: 47, services: SERVICES, isLively: true, settings })
  receiver = await openReceiver({ answer: createUnreliableAnswers() })
}, 90_000)
afterAll(async () => {
  await receiver?.close()
  await world?.close()
})

/** The first attempts of some events fail: the answer is an error, comes too late or never comes. */
function createUnreliableAnswers() {
  const below = randomFrom(11)
  const seen = new Set<string>()
  return ({ path, envelope }: ReceivedRequest): Answer => {
    const event = `${path} ${envelope.id}`
    const isFirst = !seen.has(event)
    seen.add(event)
    const chance = below(100)
    if (!isUnreliable || !isFirst || chance >= 9) return 200
    return chance < 4 ? 500 : chance < 5 ? 301 : chance < 8 ? 'reset' : 'hang'
  }
}

const createHooks = async (client: HookClient): Promise<Map<string, Hook>> => {
  const make = async (path: string, type: string, filters: object = {}) => {
    const draft = { url: `${receiver.url}${path}`, event_types: [type], filters }
    return [path, await client.create(draft)] as const
  }
  return new Map([
    await make(PATHS.all, 'trade'),
    await make(PATHS.sells, 'trade', { side: 'SELL', min_amount_usd: 5 }),
    await make(PATHS.redemptions, 'redemption'),
    await make(PATHS.results, 'market_resolved'),
  ])
}

test(
  `${KILLS} kills of two services while receivers fail: every event arrives under one id, and the history agrees`,
  async () => {
    const below = randomFrom(13)
    const key = await world.createCaller()
    const clients = world.urls.map((url) => createHookClient(url, key))
    const client = clients[0] ?? expect.fail('a service runs')
    const hooks = await createHooks(client)
    // Fills of the blocks that were on their way may be from before the webhooks.
    const fromBlock = world.universe.chain.head.number + 3

    for (let kill = 1; kill <= KILLS; kill++) {
      await delay(500 + below(1_500))
      const index = below(SERVICES)
      await world.kill(index)
      isUnreliable = kill < KILLS
      if (kill % KILLS_PER_REORG === 0) await world.order({ reorg: 1 + below(REORG_DEPTH) })
      await delay(below(300))
      await world.restart(index)
    }
    const readFills = (toBlock: number) =>
      readCanonicalFills(world.simulator.upstreams.polygon_http, { fromBlock, toBlock })
    const sellsOf = (rows: Awaited<ReturnType<typeof readFills>>) =>
      rows.filter(({ side, taker_amount }) => side === 'SELL' && Number(taker_amount) >= 5_000_000)
    // Something for each of the webhooks.
    const hasSells = async () => {
      const rows = await readFills(Math.max(fromBlock, world.universe.chain.head.number))
      expect(sellsOf(rows).length).toBeGreaterThan(0)
    }
    await vi.waitFor(hasSells, { timeout: 60_000, interval: 200 })
    const { number: toBlock } = await world.freeze()
    const fills = await readFills(toBlock)
    const idsOf = (rows: typeof fills) => rows.map((row) => `${row.tx_hash}_${row.log_index}`)
    const sells = sellsOf(fills)
    expect(sells.length).toBeGreaterThan(0)

    const arrived = (path: string) => new Set(accepted(path).map(({ envelope: { data } }) => String(data.id)))
    const check = () => {
      expect(missing(idsOf(fills), arrived(PATHS.all))).toEqual([])
      expect(missing(idsOf(sells), arrived(PATHS.sells))).toEqual([])
      for (const path of Object.values(PATHS)) expect(unaccepted(path)).toEqual([])
    }
    await vi.waitFor(check, { timeout: DRAIN_MS, interval: 200 })

    for (const path of Object.values(PATHS)) {
      expectOneIdAndBody(path)
      const hook = hooks.get(path) ?? expect.fail('the webhook is there')
      await vi.waitFor(async () => expectTrueHistory(path, await client.readHistory(hook)), {
        timeout: 60_000,
        interval: 500,
      })
    }
  },
  counts({ short: 150_000, long: 900_000 }),
)

const accepted = (path: string) => receiver.at(path).filter(({ answered }) => answered === 200)

const missing = (wanted: readonly string[], arrived: ReadonlySet<string>) =>
  wanted.filter((id) => !arrived.has(id))

/** Events that came and were never answered with a 200. */
function unaccepted(path: string): string[] {
  const ids = new Set(accepted(path).map(({ envelope }) => envelope.id))
  return missing(
    receiver.at(path).map(({ envelope }) => envelope.id),
    ids,
  )
}

/** What an event is about has one event id, and every request for an event has the same bytes. */
function expectOneIdAndBody(path: string): void {
  const bodies = new Map<string, string>()
  const ids = new Map<string, string>()
  const wrong: string[] = []
  for (const { envelope, body } of receiver.at(path)) {
    const { id, data } = envelope
    const fact = String(data.id ?? `${data.condition_id} ${data.payout_numerators}`)
    if ((bodies.get(id) ?? body) !== body) wrong.push(`${id} came with other bytes`)
    if ((ids.get(fact) ?? id) !== id) wrong.push(`${fact} came as ${ids.get(fact)} and ${id}`)
    bodies.set(id, body)
    ids.set(fact, id)
  }
  expect(wrong).toEqual([])
}

type History = Awaited<ReturnType<HookClient['readHistory']>>

/** Every request has its row, and a success stands for a request that was answered with a 2xx. */
function expectTrueHistory(path: string, rows: History): void {
  const requests = countBy(receiver.at(path), ({ envelope }) => envelope.id)
  const accepts = countBy(accepted(path), ({ envelope }) => envelope.id)
  const attempts = countBy(rows, ({ event_id }) => event_id)
  const successes = countBy(
    rows.filter(({ success }) => success),
    ({ event_id }) => event_id,
  )
  const wrong: string[] = []
  for (const [id, count] of requests) {
    if ((attempts.get(id) ?? 0) < count) wrong.push(`${id}: ${count} requests, ${attempts.get(id) ?? 0} rows`)
    if ((successes.get(id) ?? 0) !== 1) wrong.push(`${id}: ${successes.get(id) ?? 0} successes`)
  }
  for (const [id, count] of successes) {
    if ((accepts.get(id) ?? 0) < count) wrong.push(`${id}: a success that the receiver has not seen`)
  }
  for (const { event_id, success, status_code, error, attempt } of rows) {
    const isTold = success ? status_code === 200 && error === null : error !== null
    if (!isTold || attempt < 1 || attempt > 5) wrong.push(`${event_id}: ${attempt} ${error}`)
  }
  expect(wrong).toEqual([])
}

function countBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, number> {
  const found = new Map<string, number>()
  for (const row of rows) found.set(keyOf(row), (found.get(keyOf(row)) ?? 0) + 1)
  return found
}
