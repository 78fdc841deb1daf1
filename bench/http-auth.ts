import { monthOf } from '../src/accounts/usage-meter.js'
import { loadConfig } from '../src/config/config.js'
import type { Bench } from './lib/bench.js'
import { buildRequest, measureLoad } from './lib/load.js'
import { insertKeys, startAuspex, startYardstick } from './lib/processes.js'

const KEYS = 500
const LOAD = { connections: 32, seconds: 1, staysAwake: false }

export const httpAuth: Bench = {
  name: 'http-auth',
  promise: 'an authenticated, uncached point read against bare Fastify + postgres.js with the same SQL',
  ratioMin: 0.6,
  unit: 'requests/s',
  async prepare() {
    const auspex = await startAuspex({ isPinned: false })
    const keys = await insertKeys(auspex.pool, KEYS)
    const { databaseConnections: connections } = loadConfig({}).config
    const month = monthOf(Date.now())
    const setup = JSON.stringify({ target: auspex.target, month, connections })
    const bare = await startYardstick('fastify-postgres', [setup], { isPinned: false })
    const requests = keys.map((key) => buildRequest('/v1/usage', { 'x-api-key': key }))
    return {
      ours: () => measureLoad({ ...LOAD, port: auspex.port, requests }),
      yardstick: () => measureLoad({ ...LOAD, port: bare.port, requests: [buildRequest('/usage')] }),
      close: async () => {
        await bare.stop()
        await auspex.stop()
      },
    }
  },
}
