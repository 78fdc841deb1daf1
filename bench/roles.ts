import { Plans } from '../src/accounts/plans.js'
import { createPool } from '../src/store/connection.js'
import { transact } from '../src/store/transaction.js'
import { enqueue } from '../src/webhooks/deliver/enqueue.js'
import type { Bench, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { buildRequest, measureLoad } from './lib/load.js'
import { cpuSeconds, insertKeys, residentBytes, startAuspexOn } from './lib/processes.js'
import { tidy, tidyLater } from './lib/tidy.js'
import { createDrafts, insertWebhooks, startReceiver, untilDelivered } from './webhook-delivery.js'

const KEYS = 500
const ROUNDS = 5
const LOAD = { connections: 32, seconds: 2, staysAwake: false }
const SERVICE = { AUSPEX_SECRET_KEY: '5f'.repeat(32), AUSPEX_WEBHOOK_NETWORKS: '127.0.0.0/8' }
/** The last three also cost their idle processes, as they will in production. */
const SPLIT = ['api', 'ingest', 'stream', 'worker']
const MIB = 1024 * 1024

/** What one topology did of the same work in a second of processor time, all its processes together. */
type Work = { requests: number; deliveries: number }
type Topology = { measure(): Promise<Work>; memoryMb(): number }

export const roles: Bench = {
  name: 'roles',
  promise:
    'authenticated point reads in a second of processor time with each role in a process of its own, against one process with all roles',
  ratioMin: 0.9,
  unit: 'requests/CPU s',
  async prepare() {
    const receiver = await startReceiver()
    const server = await BenchServer.start()
    const split = await startTopology(server, 'split', receiver, SPLIT)
    const whole = await startTopology(server, 'whole', receiver, [SPLIT.join(',')])
    return { run: (onRound) => compareTopologies(split, whole, onRound), close: tidy }
  },
}

/** The first process answers the requests. */
async function startTopology(
  server: BenchServer,
  name: string,
  receiver: number,
  processes: readonly string[],
): Promise<Topology> {
  const target = await server.keepDatabase(`roles_${name}`, `roles_${name}`, async () => undefined)
  const pool = createPool(target, 4)
  tidyLater(() => pool.end({ timeout: 0 }))
  const webhooks = await insertWebhooks(pool, receiver)
  const keys = await insertKeys(pool, KEYS)
  const requests = keys.map((key) => buildRequest('/v1/usage', { 'x-api-key': key }))
  const pids: number[] = []
  let port = 0
  for (const [index, AUSPEX_ROLES] of processes.entries()) {
    const service = await startAuspexOn(target, { ...SERVICE, AUSPEX_ROLES })
    tidyLater(service.stop)
    pids.push(service.pid)
    if (index === 0) port = service.port
  }
  const cpu = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)
  return {
    measure: async () => {
      const startCpu = cpu()
      const requestsPerSecond = await measureLoad({ ...LOAD, port, requests })
      const loadedCpu = cpu()
      const drafts = createDrafts(webhooks)
      await transact(pool, (tx) => enqueue(tx, drafts, { plans: new Plans(), nowMs: Date.now() }))
      await untilDelivered(pool)
      return {
        requests: (requestsPerSecond * LOAD.seconds) / (loadedCpu - startCpu),
        deliveries: drafts.length / (cpu() - loadedCpu),
      }
    },
    memoryMb: () => Math.round(pids.reduce((sum, pid) => sum + residentBytes(pid), 0) / MIB),
  }
}

async function compareTopologies(
  split: Topology,
  whole: Topology,
  onRound: (text: string) => void,
): Promise<Rounds> {
  await Promise.all([split.measure(), whole.measure()])
  const done = { split: [] as Work[], whole: [] as Work[] }
  for (let round = 1; round <= ROUNDS; round++) {
    done.split.push(await split.measure())
    done.whole.push(await whole.measure())
    onRound(`${round} of ${ROUNDS}`)
  }
  const deliveriesOf = (works: readonly Work[]) =>
    Math.round(works.reduce((sum, { deliveries }) => sum + deliveries, 0) / works.length)
  return {
    ours: done.split.map(({ requests }) => requests),
    yardstick: done.whole.map(({ requests }) => requests),
    figures: {
      'deliveries in a second of CPU, split': deliveriesOf(done.split),
      'deliveries in a second of CPU, one process': deliveriesOf(done.whole),
      'memory of four processes, MB': split.memoryMb(),
      'memory of one process, MB': whole.memoryMb(),
    },
  }
}
