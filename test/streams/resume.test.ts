import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { counts } from '../counts.js'
import { randomFrom } from '../random.js'
import type { Received } from './received.js'
import { Recorder } from './recorder.js'
import { makeTrouble, openStreamWorld, type StreamWorld } from './stream-world.js'
import { expectGrowingSeqs, expectTruth } from './truth.js'

const KILLS = counts({ short: 8, long: 100 })
/** After this many kills of clients one of the services is killed too. */
const KILLS_PER_RESTART = counts({ short: 4, long: 12 })
const CLIENTS = 3
const SERVICES = 2

let world: StreamWorld
beforeAll(async () => {
  world = await openStreamWorld({ seed: 43, services: SERVICES })
})
afterAll(() => world.close())

test(
  `${KILLS} kills of clients, and of services too: all end with the sequence of an undisturbed client`,
  async () => {
    const notices: string[] = []
    const below = randomFrom(9)
    const urls = await world.createAddresses()
    const anyUrl = () => urls[below(SERVICES)] ?? ''
    const create = () => new Recorder({ notices })
    const clients = Array.from({ length: CLIENTS }, create)
    for (const client of clients) await client.connect(anyUrl())
    const sinceMs = Date.now()
    const startSeq = await untilFirst(clients)

    let isOver = false
    const trouble = (async () => {
      while (!isOver) await makeTrouble(world, { seed: below(1_000_000), forMs: 1_000 })
    })()
    for (let kill = 1; kill <= KILLS; kill++) {
      await delay(below(500))
      const client = clients[below(CLIENTS)]
      client?.kill()
      await delay(below(300))
      if (kill % KILLS_PER_RESTART === 0) {
        const index = below(SERVICES)
        // The trouble may have none in a short run.
        await world.order({ reorg: 1 + below(4) })
        await world.kill(index)
        await reconnect(clients, () => urls[1 - index] ?? '')
        await world.restart(index)
      }
      await reconnect(clients, anyUrl)
    }
    isOver = true
    await trouble
    await reconnect(clients, anyUrl)
    const { hash, number: headBlock } = await world.freeze()
    for (const each of clients) await each.untilBlock(hash)

    const undisturbed = create()
    await undisturbed.connect(anyUrl(), startSeq)
    await undisturbed.untilBlock(hash)
    for (const each of [...clients, undisturbed]) await each.close()

    expect(notices).toEqual([])
    const expected = confirmed(undisturbed.messages, startSeq)
    for (const { messages, resumptions } of clients) {
      expectGrowingSeqs(messages)
      expect(resumptions.slice(1)).not.toContain('gap')
      expect(confirmed(messages, startSeq)).toEqual(expected)
    }
    const nodeUrl = world.simulator.upstreams.polygon_http
    const { fills, reorgs } = await expectTruth(undisturbed.messages, {
      nodeUrl,
      headBlock,
      sinceMs,
    })
    expect(fills).toBeGreaterThan(10)
    expect(reorgs).toBeGreaterThan(0)
  },
  counts({ short: 120_000, long: 900_000 }),
)

async function reconnect(clients: readonly Recorder[], chooseUrl: () => string): Promise<void> {
  for (const client of clients) if (!client.isConnected) await client.connect(chooseUrl())
}

/** The highest of the first numbers that the clients have. */
async function untilFirst(clients: readonly Recorder[]): Promise<number> {
  const first = clients.map(async ({ messages }) => {
    while (messages[0] === undefined) await delay(20)
    return messages[0].seq
  })
  return Math.max(...(await Promise.all(first)))
}

/** Pending ones may be lost with the process that has seen them. */
const confirmed = (messages: readonly Received[], afterSeq: number) =>
  messages.filter(({ seq, data }) => seq > afterSeq && data.status !== 'pending')
