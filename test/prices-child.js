// Collects prices into a database from the message `start` until it is killed. The argument says from
// where, and what time it is.
import { once } from 'node:events'
import { loadConfig } from '../dist/src/config/config.js'
import { createLog } from '../dist/src/lib/log.js'
import { createPlatform } from '../dist/src/platform.js'
import { createDomains } from '../dist/src/service.js'
import { createPool } from '../dist/src/store/connection.js'
import { Replicas } from '../dist/src/store/replicas/replicas.js'

const { target, environment, startMs, startedMs, speed } = JSON.parse(process.argv[2])
process.on('disconnect', () => process.exit())

const sql = createPool(target, 2)
const readsMax = { light: 2, heavy: 1 }
const log = createLog('error', process.stderr)
const replicas = new Replicas({ urls: [], connections: readsMax, log })
const store = { sql, answers: sql, heavyAnswers: sql, readsMax, replicas, control: sql, problem: undefined }
const clock = { now: () => Math.floor(startMs + (Date.now() - startedMs) * speed) }
const { config } = loadConfig(environment)
const { all } = createDomains(createPlatform({ config, log, store, clock }), { target })
const jobs = all.flatMap((domain) => domain.jobs ?? [])
const collection = jobs.find(({ name }) => name === 'price collection')
await once(process, 'message')
await collection?.run(new AbortController().signal)
