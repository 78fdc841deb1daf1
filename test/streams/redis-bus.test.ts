import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REDIS_PROGRAM, type RedisServer, startRedis } from '../redis-server.js'
import { until } from '../until.js'
import { Recorder } from './recorder.js'
import { openStreamWorld, type StreamWorld } from './stream-world.js'

const KILLS = 5
// The short form is that of `event-stream.test.ts`, without a chain.
const isSkipped = REDIS_PROGRAM === undefined || process.env.AUSPEX_TEST_LONG !== '1'

describe.skipIf(isSkipped)('two processes, one of which books the chain', () => {
  let redis: RedisServer
  let world: StreamWorld
  beforeAll(async () => {
    redis = await startRedis()
    world = await openStreamWorld({ seed: 44, services: 2, settings: { REDIS_URL: redis.url } })
  })
  afterAll(async () => {
    await world.close()
    await redis.remove()
  })

  test('clients of both have the same events once and in order, also when Redis is killed in between', async () => {
    const notices: string[] = []
    const urls = await world.createAddresses()
    const clients = urls.map(() => new Recorder({ notices }))
    for (const [index, client] of clients.entries()) await client.connect(urls[index] ?? '')
    /** All clients have blocks that came after now. */
    const untilBlocks = async (count: number) => {
      const target = world.universe.chain.head.number + count
      const hasBlock = ({ messages }: Recorder) =>
        messages.some(({ type, data }) => type === 'block' && Number(data.block_number) >= target)
      await until(() => clients.every(hasBlock))
    }
    await untilBlocks(2)
    for (let kill = 0; kill < KILLS; kill++) {
      await redis.kill()
      await untilBlocks(1)
      await redis.start()
      await untilBlocks(2)
    }
    const { hash } = await world.freeze()
    for (const client of clients) await client.untilBlock(hash)
    for (const client of clients) await client.close()

    const firstSeq = Math.max(...clients.map(({ messages }) => messages[0]?.seq ?? 0))
    const [one, other] = clients.map(({ messages }) => messages.filter(({ seq }) => seq >= firstSeq))
    expect(other).toEqual(one)
    const seqs = one?.map(({ seq }) => seq) ?? []
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
    expect(one?.some(({ data }) => data.status === 'pending')).toBe(true)
    expect(notices).toEqual([])
  })
})
