import type { AddressInfo } from 'node:net'
import { buildApp } from '../../src/app.js'
import { loadConfig } from '../../src/config/config.js'
import { systemClock } from '../../src/core/clock.js'
import { createLog } from '../../src/lib/log.js'
import { createPlatform } from '../../src/platform.js'
import { createDomains } from '../../src/service.js'
import { createPool } from '../../src/store/connection.js'
import { Replicas } from '../../src/store/replicas/replicas.js'
import { transact } from '../../src/store/transaction.js'
import { makeTrade } from '../fanout/workload.js'

/** The service with a record of many trades, which goes on publishing one now and then. */
const [socketDir = '', database = '', recorded = '0', everyMs = '20'] = process.argv.slice(2)
const target = { socketDir, database }
const pool = createPool(target, 4)
const log = createLog('error', process.stderr)
const store = {
  sql: pool,
  answers: pool,
  heavyAnswers: pool,
  readsMax: { light: 4, heavy: 1 },
  control: pool,
  problem: undefined,
  replicas: new Replicas({ urls: [], connections: { light: 4, heavy: 1 }, log }),
}
const platform = createPlatform({ config: loadConfig({}).config, log, store, clock: systemClock })
const domains = createDomains(platform, { target })
const app = await buildApp(platform, domains)
const { bus, eventLog } = domains.stream

await eventLog.lead(pool)
const fromMs = Date.now()
for (let made = 0; made < Number(recorded); made += 1_000) {
  const trades = Array.from({ length: 1_000 }, (_, index) => makeTrade(made + index, Date.now()))
  const { events, publish } = bus.reserve(trades)
  await transact(pool, (tx) => eventLog.insert(tx, events))
  publish()
}
const toMs = Date.now() + 1

await app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
setInterval(() => bus.publish([makeTrade(0, Date.now())]), Number(everyMs))
process.send?.({ port: (app.server.address() as AddressInfo).port, fromMs, toMs })
