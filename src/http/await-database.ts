import type { FastifyInstance } from 'fastify'
import { PROBE } from '../accounts/access.js'
import { pollUntil } from '../lib/timing.js'
import type { Platform } from '../platform.js'
import { STARTING } from '../store/store.js'

const WAIT_MS_MAX = 2_000
const POLL_MS = 10

/**
 * Requests that come before the database has answered for the first time wait for it, probes aside. A load balancer
 * that does not ask `/readyz` sends them as soon as the process listens, and may not repeat a POST that is refused.
 */
export function awaitDatabase(app: FastifyInstance, { store }: Pick<Platform, 'store'>): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const isStarting = () => store.problem === STARTING
    if (!isStarting() || request.routeOptions.config.access === PROBE) return done()
    void pollUntil(() => !isStarting(), { everyMs: POLL_MS, timeoutMs: WAIT_MS_MAX }).then(() => done())
  })
}
