import type { AddressInfo, Socket } from 'node:net'
import { buildApp } from '../../src/app.js'
import { loadConfig } from '../../src/config/config.js'
import { systemClock } from '../../src/core/clock.js'
import { createLog } from '../../src/lib/log.js'
import { createPlatform } from '../../src/platform.js'
import { createDomains } from '../../src/service.js'
import { createPool } from '../../src/store/connection.js'
import { Replicas } from '../../src/store/replicas/replicas.js'
import { RunningTime } from './running-time.js'
import { serveBench } from './serve.js'
import { makeTrade, nowMs, publishAt } from './workload.js'

/** The service's doors, hub and bus on a database of the bench; the events come from here. */
const [socketDir = '', database = ''] = process.argv.slice(2)
const target = { socketDir, database }
const pool = createPool(target, 4)
const log = createLog('error', process.stderr)
const platform = createPlatform({
  config: loadConfig({}).config,
  log,
  store: {
    sql: pool,
    answers: pool,
    heavyAnswers: pool,
    readsMax: { light: 4, heavy: 1 },
    control: pool,
    problem: undefined,
    replicas: new Replicas({ urls: [], connections: { light: 4, heavy: 1 }, log }),
  },
  clock: systemClock,
})
const domains = createDomains(platform, { target })
const app = await buildApp(platform, domains)

/** Of the first socket, which receives everything: when each event was published, and when written. */
const clock = new RunningTime()
const publishedAt: number[] = []
let delaysMs: number[] = []
let written = 0
app.server.once('upgraded', (socket: Socket) => {
  const write = socket.write.bind(socket)
  const watched = (bytes: Buffer, ...rest: never[]) => {
    for (let count = countTrades(bytes); count > 0; count--) {
      const at = publishedAt[written++]
      if (at !== undefined) delaysMs.push(clock.now() - at)
    }
    return write(bytes, ...rest)
  }
  socket.write = watched as typeof socket.write
})

await app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
serveBench({
  port: (app.server.address() as AddressInfo).port,
  publish: async (count, perSecond, begin) => {
    begin()
    publishedAt.length = 0
    written = 0
    const publish = (index: number) => {
      publishedAt.push(clock.now())
      domains.stream.bus.publish([makeTrade(index, nowMs())])
    }
    await publishAt(perSecond, count, publish, () => clock.update())
  },
  takeDelays: () => {
    const taken = delaysMs
    delaysMs = []
    return taken
  },
})

/** Heartbeats and acknowledgements are shorter than trades, and are not counted. */
function countTrades(bytes: Buffer): number {
  let count = 0
  for (let at = 0; at < bytes.length; ) {
    const isLong = bytes[at + 1] === 126
    if (bytes[at] === 0x81 && isLong && bytes.readUInt16BE(at + 2) > 500) count++
    at += isLong ? 4 + bytes.readUInt16BE(at + 2) : 2 + ((bytes[at + 1] ?? 0) & 127)
  }
  return count
}
