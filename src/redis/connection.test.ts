import { setImmediate, setTimeout } from 'node:timers/promises'
import { Redis as RedisClient } from 'ioredis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectTo } from '../../test/connect-redis.js'
import { REDIS_PROGRAM, type RedisServer, startRedis } from '../../test/redis-server.js'
import { until } from '../../test/until.js'
import { createLog } from '../lib/log.js'
import type { RedisConnection } from './connection.js'
import { followStream, type StreamEntry } from './stream.js'

const PASSWORD = 'hunter2'

describe.skipIf(REDIS_PROGRAM === undefined)('RedisConnection', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis({ password: PASSWORD })
  })
  afterAll(() => server.remove())

  const collectLog = () => {
    const lines: string[] = []
    return { lines, log: createLog('debug', { write: (line) => lines.push(line) }) }
  }
  const read = (redis: RedisConnection, name: string) =>
    redis.call('get', (client) => client.get(redis.keyOf(name)))

  test('a server that ends and comes back is one line in the log each, however long it is away', async () => {
    const { lines, log } = collectLog()
    const redis = await connectTo(server, 'a', log)
    await server.kill()
    await until(() => redis.problem !== undefined)
    expect(redis.lostAtMs).toBeLessThanOrEqual(Date.now())
    await expect(read(redis, 'x')).rejects.toThrow(/redis: /)
    await until(() => /ECONNREFUSED/.test(redis.problem ?? ''))
    await server.start()
    await until(() => redis.problem === undefined)
    expect(redis.lostAtMs).toBeUndefined()
    expect(await read(redis, 'x')).toBeNull()
    const messages = lines.map((line) => JSON.parse(line).msg)
    expect(messages).toEqual(['redis is ready', 'redis is not available', 'redis is ready'])
  })

  test('a server that hangs is given up within a second, refused at once then, and used again', async () => {
    const redis = await connectTo(server, 'a')
    server.pause()
    const startedAt = performance.now()
    await expect(read(redis, 'x')).rejects.toThrow('no answer within 250 ms')
    await expect(read(redis, 'x')).rejects.toThrow('no answer within 250 ms')
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    server.resume()
    await until(() => redis.problem === undefined)
    expect(await read(redis, 'x')).toBeNull()
  })

  test('a server that answers the probe of a connection that was given up is used over a new one', async () => {
    const redis = await connectTo(server, 'a')
    // The probe is sent a second after the last one: while the command below waits.
    await setTimeout(900)
    server.pause()
    await expect(read(redis, 'x')).rejects.toThrow('no answer within 250 ms')
    server.resume()
    await until(() => redis.problem === undefined)
    expect(await read(redis, 'x')).toBeNull()
  })

  test('a wrong password is a problem in words, and no password is logged', async () => {
    const { lines, log } = collectLog()
    const url = server.url.replace(PASSWORD, 'secret-that-is-wrong')
    const redis = await connectTo({ ...server, url }, 'a', log, { isReady: false })
    await until(() => /WRONGPASS/.test(redis.problem ?? ''))
    expect(lines.join()).not.toMatch(/secret-that-is-wrong|hunter2/)
  })

  test('a replica, which does not write, is not used', async () => {
    const redis = await connectTo(server, 'a')
    await redis.call('replicaof', (client) => client.replicaof('127.0.0.1', 1))
    await until(() => /READONLY/.test(redis.problem ?? ''))
    const other = await redis.open()
    await other.replicaof('NO', 'ONE')
    other.disconnect()
    await until(() => redis.problem === undefined)
  })

  test('the node of a Cluster that has the keys is found by its redirection', async () => {
    const nodes = [await startRedis({ isCluster: true }), await startRedis({ isCluster: true })]
    onTestFinished(async () => {
      for (const node of nodes) await node.remove()
    })
    const clients = nodes.map(({ port }) => new RedisClient(port, '127.0.0.1'))
    await clients[0]?.call('CLUSTER', 'ADDSLOTSRANGE', 0, 8_191)
    await clients[1]?.call('CLUSTER', 'ADDSLOTSRANGE', 8_192, 16_383)
    await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', nodes[1]?.port ?? 0, nodes[1]?.busPort ?? 0)
    await vi.waitFor(async () => {
      for (const client of clients) expect(await client.cluster('INFO')).toContain('cluster_state:ok')
    })
    const [first] = nodes
    if (first === undefined) throw new Error('there is a first node')
    for (const namespace of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const redis = await connectTo(first, namespace)
      expect(await read(redis, 'x')).toBeNull()
    }
    for (const client of clients) {
      expect(await client.dbsize()).toBeGreaterThan(0)
      client.disconnect()
    }
  })

  test('a stream is read from the moment at which the reader says so, again after each loss', async () => {
    const redis = await connectTo(server, 'a')
    const add = (text: string) =>
      redis.call('xadd', (client) => client.xadd(redis.keyOf('stream'), '*', 'text', text))
    await add('before')
    const stopping = new AbortController()
    const read: StreamEntry[] = []
    let opened = 0
    let lost = 0
    const follower = {
      name: 'stream',
      onOpen: async () => {
        opened++
      },
      onEntries: async (entries: readonly StreamEntry[]) => {
        read.push(...entries)
      },
      onLost: () => {
        lost++
      },
    }
    const follow = async () => {
      while (!stopping.signal.aborted) await followStream(redis, follower, stopping.signal)
    }
    const following = follow()
    onTestFinished(async () => {
      stopping.abort()
      await following
    })
    await until(() => opened === 1)
    await add('first')
    await until(() => read.length === 1)
    await server.kill()
    await until(() => lost === 1)
    await server.start()
    await until(() => opened === 2)
    await add('second')
    await until(() => read.length === 2)
    expect(read.map(({ text }) => text)).toEqual(['first', 'second'])
  })

  test('a follower ends whenever it is stopped, also while it connects', async () => {
    const redis = await connectTo(server, 'stopped')
    const follower = { name: 'news', onOpen: async () => undefined, onEntries: async () => undefined }
    const stopAfter = async (ticks: number) => {
      const stopping = new AbortController()
      const following = followStream(redis, follower, stopping.signal)
      for (let tick = 0; tick < ticks; tick++) await setImmediate()
      stopping.abort()
      await following
    }
    await Promise.all(Array.from({ length: 40 }, (_, ticks) => stopAfter(ticks)))
  })
})
