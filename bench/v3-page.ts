import { loadConfig } from '../src/config/config.js'
import { createPool } from '../src/store/connection.js'
import type { Bench } from './lib/bench.js'
import { buildRequest, measureLoad } from './lib/load.js'
import { insertKeys, startAuspexOn, startYardstick } from './lib/processes.js'
import { showProgress } from './lib/progress.js'
import { tidy } from './lib/tidy.js'
import { HISTORIES_DIR, keepHistory, openHistories } from './v3/keep-history.js'
import { selectSamples } from './v3/samples.js'

const HISTORY = { fills: 1_000_000, partitions: 10 }
const KEYS = 500
const LOAD = { connections: 16, seconds: 1, staysAwake: false }

export const v3Page: Bench = {
  name: 'v3-page',
  promise: 'a page of 100 trades of a wallet against bare Fastify + postgres.js with the same SQL',
  ratioMin: 0.5,
  unit: 'pages/s',
  async prepare() {
    console.log(`  histories are kept in ${HISTORIES_DIR}`)
    const server = await openHistories()
    const target = await keepHistory(server, HISTORY, showProgress)
    const pool = createPool(target, 1)
    const { traders } = await selectSamples(pool)
    const auspex = await startAuspexOn(target)
    const keys = await insertKeys(pool, KEYS)
    await pool.end()
    const { databaseConnections: connections } = loadConfig({}).config
    const setup = JSON.stringify({ target, connections })
    const bare = await startYardstick('v3-trades', [setup], { isPinned: false })
    const pathOf = (index: number) => `/v3/wallets/${traders[index % traders.length]}/trades`
    const requests = keys.map((key, index) => buildRequest(pathOf(index), { 'x-api-key': key }))
    const bareRequests = keys.map((_, index) => buildRequest(pathOf(index)))
    return {
      ours: () => measureLoad({ ...LOAD, port: auspex.port, requests }),
      yardstick: () => measureLoad({ ...LOAD, port: bare.port, requests: bareRequests }),
      close: async () => {
        await bare.stop()
        await auspex.stop()
        await tidy()
      },
    }
  },
}
