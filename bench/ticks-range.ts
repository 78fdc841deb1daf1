import { Agent, get } from 'node:http'
import { monthOf } from '../src/accounts/usage-meter.js'
import { loadConfig } from '../src/config/config.js'
import { BLOCK_SEC } from '../src/prices/fast/tick-block.js'
import { TICK_SOURCES } from '../src/prices/streams.js'
import type { Bench } from './lib/bench.js'
import { insertKeys, startAuspex, startYardstick } from './lib/processes.js'
import { fillArchive, lastBlock } from './lib/tick-archive.js'

const REQUESTS = 1_000
const BLOCKS = 12
/** One alone would reach its limit. */
const KEYS = 20

export const ticksRange: Bench = {
  name: 'ticks-range',
  promise: 'five minutes of ticks in three times the time of a bare read by primary key at most',
  ratioMin: 1 / 3,
  unit: 'answers/s',
  async prepare() {
    const auspex = await startAuspex({ isPinned: false })
    const untilBlock = lastBlock()
    const streams = TICK_SOURCES.map((source) => ({ symbol: 'BTC', kind: 'spot', source }) as const)
    await fillArchive(auspex.pool, streams, untilBlock - BLOCKS, untilBlock)
    const keys = await insertKeys(auspex.pool, KEYS)
    const { databaseConnections: connections } = loadConfig({}).config
    const setup = { target: auspex.target, month: monthOf(Date.now()), connections }
    const bare = await startYardstick('fastify-postgres', [JSON.stringify(setup)], {
      isPinned: false,
    })
    // Not on the grid of the archive: two blocks are cut.
    const fromMs = (untilBlock - BLOCKS / 2) * BLOCK_SEC * 1000 - 100_000
    const path = `/v1/crypto/ticks?symbol=BTC&from=${fromMs}&to=${fromMs + 300_000}`
    const agent = new Agent({ keepAlive: true })
    return {
      ours: () => ask(agent, auspex.port, path, keys),
      yardstick: () => ask(agent, bare.port, '/usage', keys),
      close: async () => {
        agent.destroy()
        await bare.stop()
        await auspex.stop()
      },
    }
  },
}

/** Answers per second, one after the other on one connection. */
async function ask(agent: Agent, port: number, path: string, keys: readonly string[]): Promise<number> {
  const startedMs = performance.now()
  for (let request = 0; request < REQUESTS; request++) {
    const headers = { 'x-api-key': keys[request % keys.length] ?? '' }
    await new Promise<void>((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, headers, agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
        response.on('end', resolve).resume()
      }).on('error', reject)
    })
  }
  return REQUESTS / ((performance.now() - startedMs) / 1000)
}
