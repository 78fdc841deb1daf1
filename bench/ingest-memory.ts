import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { firstMessage, simulatedEnvironment } from '../demo/simulator.js'
import type { Bench, Rounds } from './lib/bench.js'
import { type RunningService, residentBytes, startAuspex } from './lib/processes.js'
import { tidy, tidyLater } from './lib/tidy.js'

const MB = 1_000_000
const BYTES_MAX = 400 * MB
/** As busy as the world outside. */
const INTENSITY = 100
const HISTORY = '150m'
const SAMPLE_MS = 50

export const ingestMemory: Bench = {
  name: 'ingest-memory',
  promise: `the service takes ${BYTES_MAX / MB} MB at most on a long way to the head`,
  ratioMin: 1,
  unit: 'services/GB',
  async prepare() {
    const upstreams = await startWorld()
    const service = await startAuspex({ isPinned: false, env: simulatedEnvironment(upstreams) })
    tidyLater(service.stop)
    return { run: (onRound) => run(service, onRound), close: tidy }
  },
}

async function startWorld() {
  const args = ['--seed', '1', '--intensity', String(INTENSITY), '--history', HISTORY]
  const execArgv = ['--max-old-space-size=6144', '--max-semi-space-size=64']
  const world = fork(join(import.meta.dirname, '../bin/sim.js'), args, { execArgv })
  tidyLater(async () => {
    world.disconnect()
    await once(world, 'exit')
  })
  const [{ upstreams }] = await Promise.all([firstMessage(world, 'open'), firstMessage(world, 'ready')])
  return upstreams
}

async function run(service: RunningService, onRound: (text: string) => void): Promise<Rounds> {
  let peak = 0
  while (!(await isReady(service.port))) {
    peak = Math.max(peak, residentBytes(service.pid))
    onRound(`${Math.round(peak / MB)} MB at most`)
    await wait(SAMPLE_MS)
  }
  const [row] = await service.pool<{ fills: number }[]>`
    select count(*)::integer as fills from fills`
  return {
    ours: [1000 / (peak / MB)],
    yardstick: [1000 / (BYTES_MAX / MB)],
    figures: { 'memory at most': `${Math.round(peak / MB)} MB`, fills: row?.fills ?? 0 },
  }
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
  await answer.arrayBuffer()
  return answer.ok
}
