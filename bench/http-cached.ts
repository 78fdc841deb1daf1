import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './lib/bench.js'
import { buildRequest, measureLoad } from './lib/load.js'
import { insertKeys, startAuspex, startYardstick } from './lib/processes.js'
import { recordAnswer } from './lib/record-answer.js'

const KEYS = 500
const LOAD = { connections: 32, seconds: 1, staysAwake: true }

export const httpCached: Bench = {
  name: 'http-cached',
  promise: 'an authenticated, rate-limited, cached GET against bare node:http sending the same bytes',
  ratioMin: 0.6,
  unit: 'requests/s',
  async prepare() {
    const auspex = await startAuspex({ isPinned: true })
    const keys = await insertKeys(auspex.pool, KEYS)
    const requests = keys.map((key) => buildRequest('/v1/coverage', { 'x-api-key': key }))

    const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'))
    const answerFile = join(folder, 'answer.json')
    writeFileSync(answerFile, JSON.stringify(await recordAnswer(auspex.port, '/v1/coverage', keys[0] ?? '')))
    const bare = await startYardstick('node-http', [answerFile], { isPinned: true })
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
