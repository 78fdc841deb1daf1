import { Counter, Gauge, type Registry } from 'prom-client'
import type { HealthCheck } from '../jobs/job.js'
import type { Replica } from '../store/replicas/replica.js'
import type { Replicas } from '../store/replicas/replicas.js'

/** The best first. `behind`: it lacks what the primary showed a second ago. `lost`: `problem` says why. */
export const REPLICA_STATES = ['ready', 'behind', 'lost'] as const

function stateOf(replicas: Replicas, replica: Replica): (typeof REPLICA_STATES)[number] {
  if (replica.problem !== undefined) return 'lost'
  return replicas.isBehind(replica) ? 'behind' : 'ready'
}

/** In the order of `DATABASE_READ_URLS`. */
export function presentReplicas(replicas: Replicas) {
  const reads = replicas.all.reduce((sum, replica) => sum + replica.reads, replicas.primaryReads)
  return replicas.all.map((replica) => ({
    host: replica.host,
    state: stateOf(replicas, replica),
    problem: replica.problem ?? null,
    block: replica.state?.block ?? null,
    lag_bytes: replicas.lagOf(replica) ?? null,
    reads: replica.reads,
    read_share: reads === 0 ? 0 : Math.round((1000 * replica.reads) / reads) / 1000,
  }))
}

/** The primary takes over what a replica cannot answer, so nothing is missing. Its text names no host: everybody may read it. */
export function checkReplicas(replicas: Replicas): HealthCheck[] {
  const { length } = replicas.all
  if (length === 0) return []
  const unused = replicas.all.filter((replica) => stateOf(replicas, replica) !== 'ready').length
  const problem = unused === 0 ? undefined : `${unused} of ${length} not used`
  return [{ name: 'replicas', status: unused === 0 ? 'ready' : 'degraded', isReady: true, problem }]
}

/** Under the name of the primary: queries that replicas could have answered, and did not. */
const PRIMARY = 'primary'

export function measureReplicas(replicas: Replicas, registry: Registry): void {
  const shared = { labelNames: ['replica'] as const, registers: [registry] }
  new Gauge({
    ...shared,
    name: 'auspex_replica_up',
    help: '1 while answers are read from the replica',
    collect() {
      for (const replica of replicas.all) {
        this.set({ replica: replica.host }, stateOf(replicas, replica) === 'ready' ? 1 : 0)
      }
    },
  })
  new Gauge({
    ...shared,
    name: 'auspex_replica_lag_bytes',
    help: 'What the primary has written and the replica has not replayed; none while the replica is lost',
    collect() {
      this.reset()
      for (const replica of replicas.all) {
        const lag = replicas.lagOf(replica)
        if (lag !== undefined) this.set({ replica: replica.host }, lag)
      }
    },
  })
  new Counter({
    ...shared,
    name: 'auspex_replica_reads_total',
    help: 'Queries of answers about the chain by the server that got them',
    collect() {
      this.reset()
      for (const { host, reads } of replicas.all) this.inc({ replica: host }, reads)
      if (replicas.all.length > 0) this.inc({ replica: PRIMARY }, replicas.primaryReads)
    },
  })
  new Counter({
    ...shared,
    name: 'auspex_replica_repeated_reads_total',
    help: 'Queries that failed because of the replica, and were repeated on the primary',
    collect() {
      this.reset()
      for (const { host, repeats } of replicas.all) this.inc({ replica: host }, repeats)
    },
  })
}
