import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './lib/bench.js'
import { buildRequest, measureLoad } from './lib/load.js'
import { insertKeys, startAuspex, startYardstick } from './lib/processes.js'

const KEYS = 1_000
const LOAD = { connections: 32, seconds: 3 }

export const httpCached: Bench = {
  name: 'http-cached',
  promise:
    'an authenticated, rate-limited, cached GET against bare node:http sending the same bytes',
  ratioMin: 0.6,
  unit: 'requests/s',
  async prepare() {
    const auspex = await startAuspex()
    const keys = await insertKeys(auspex.pool, KEYS)
    const requests = keys.map((key) => buildRequest('/v1/plans', { 'x-api-key': key }))

    const answer = await fetch(`http://127.0.0.1:${auspex.port}/v1/plans?key=${keys[0]}`)
    const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'))
    writeFileSync(join(folder, 'body'), await answer.text())
    const bare = await startYardstick('node-http', [join(folder, 'body')])
    return {
      ours: () => measureLoad({ ...LOAD, port: auspex.port, requests }),
      yardstick: () => measureLoad({ ...LOAD, port: bare.port, requests }),
      close: async () => {
        await Promise.all([auspex.stop(), bare.stop()])
        rmSync(folder, { recursive: true })
      },
    }
  },
}
