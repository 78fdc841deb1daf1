import type { HealthCheck, StatusPart } from '../jobs/job.js'
import type { Platform } from '../platform.js'
import { checkReplicas } from './replicas.js'

/** The best first. */
export const STATUSES = ['ready', 'degraded', 'not_ready'] as const

/**
 * `ready`: all is well. `degraded`: the service answers, with something missing, such as the prices
 * of one source. `not_ready`: the service cannot do its work.
 */
export function readiness({ store, redis, statusParts, clock }: Platform) {
  const nowMs = clock.now()
  const ofRedis = redis === undefined ? [] : [checkRedis(redis.problem)]
  const checks = [
    checkStore(store.problem),
    ...ofRedis,
    ...checkReplicas(store.replicas),
    ...statusParts.flatMap((part) => part.check?.(nowMs) ?? []),
  ]
  const hasStatus = (status: HealthCheck['status']) => checks.some((check) => check.status === status)
  return {
    status: STATUSES.findLast(hasStatus) ?? 'ready',
    /** Whether requests should be sent here: also while one of several price sources is silent. */
    isReady: checks.every(({ isReady }) => isReady),
    /** `ok`, or what is wrong, for each part that runs. */
    checks: Object.fromEntries(checks.map(({ name, problem }) => [name, problem ?? 'ok'])),
  }
}

function checkStore(problem: string | undefined): HealthCheck {
  const isReady = problem === undefined
  return { name: 'store', status: isReady ? 'ready' : 'not_ready', isReady, problem }
}

/** What a process reports after a signal to stop, while it still serves: load balancers send requests elsewhere. */
export const STOPPING: StatusPart = {
  check: () => ({
    name: 'process',
    status: 'not_ready',
    isReady: false,
    problem: 'the process is stopping; it serves until it has ended',
  }),
}

/** Requests are answered all the same, with limits that each process counts for itself. */
function checkRedis(problem: string | undefined): HealthCheck {
  return { name: 'redis', status: problem === undefined ? 'ready' : 'degraded', isReady: true, problem }
}
