import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Bench } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { percentile, showBound } from './lib/compare.js'
import { insertKeys } from './lib/processes.js'
import { tidy, tidyLater } from './lib/tidy.js'

const ROUNDS = 5
const RECORDED = 50_000
const LIVE_EVERY_MS = 20
const CALM_MS = 3_000
const EVENTS_PER_SECOND = 5_000
const LATENCY_MS_MAX = 50

type Server = { port: number; fromMs: number; toMs: number }

export const replay: Bench = {
  name: 'replay',
  promise: 'events of a replay at max, from the database to one socket, against the limit: 5,000 a second',
  ratioMin: 1,
  unit: 'events per second',
  async prepare() {
    let key = ''
    const postgres = await BenchServer.start()
    const { socketDir, database } = await postgres.keepDatabase('replay_', 'replay', async (pool) => {
      key = (await insertKeys(pool, 1))[0] ?? ''
    })
    return {
      run: async (onRound) => {
        onRound('recording events')
        const path = join(import.meta.dirname, 'replay/server.js')
        const child = fork(path, [socketDir, database, `${RECORDED}`, `${LIVE_EVERY_MS}`])
        tidyLater(async () => void child.kill())
        const [message] = await once(child, 'message')
        const server = message as Server
        const live = await openLive(server, key)
        await delay(CALM_MS)
        const calm = live.take()
        const speeds: number[] = []
        for (let round = 0; round <= ROUNDS; round++) {
          onRound(round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`)
          const speed = await playAll(server, key)
          if (round > 0) speeds.push(speed)
        }
        const busy = live.take()
        live.socket.terminate()
        return {
          ours: speeds,
          yardstick: speeds.map(() => EVENTS_PER_SECOND),
          figures: {
            'publish to a live client, 99 of 100, beside the replays': showBound(
              percentile(busy, 0.99),
              LATENCY_MS_MAX,
              ' ms',
            ),
            'the same without them': `${percentile(calm, 0.99).toFixed(0)} ms`,
          },
        }
      },
      close: tidy,
    }
  },
}

/** A client of the live socket, and how late each event comes. */
async function openLive({ port }: Server, key: string) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws?key=${key}`)
  let latenciesMs: number[] = []
  socket.on('message', (data) => {
    const { type, data: event } = JSON.parse(String(data))
    if (type === 'trade') latenciesMs.push(Date.now() - event.at_ms)
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ action: 'subscribe', type: 'trades', filters: { snapshot_count: 0 } }))
  const take = () => {
    const taken = latenciesMs
    latenciesMs = []
    return taken
  }
  return { socket, take }
}

/** Events per second of one replay of the whole record. */
async function playAll({ port, fromMs, toMs }: Server, key: string): Promise<number> {
  const range = `from=${fromMs}&to=${toMs}&speed=max`
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/replay?key=${key}&${range}`)
  let end = ''
  socket.on('message', (data: Buffer) => {
    if (data.length < 500 && String(data).includes('replay_end')) end = String(data)
  })
  await once(socket, 'open')
  const startedMs = performance.now()
  socket.send(JSON.stringify({ action: 'subscribe', type: 'trades', filters: { snapshot_count: 0 } }))
  await once(socket, 'close')
  return JSON.parse(end).events / ((performance.now() - startedMs) / 1_000)
}
