import { EventEmitter, once } from 'node:events'
import type { Config } from '../config/config.js'
import { messageOf } from '../core/errors.js'
import { withTimeout } from '../lib/timeout.js'
import type { Timing } from '../lib/timing.js'
import { UPSTREAMS, type UpstreamName } from './upstreams.js'
import { withUpstreams } from './with-upstreams.js'

const ANSWER_MS_MAX = 15_000

/**
 * How one upstream answered. `answer` is a value that only a working upstream can give. One that is
 * `off` was not called: it needs credentials and has none, or the operator has switched it off.
 */
export type UpstreamFinding = {
  upstream: string
  state: 'ok' | 'failed' | 'off'
  answer: string
  tookMs: number
}

/** Probes every configured upstream, all at once. `timing`: of tries; absent: that of the system. */
export async function checkUpstreams(config: Config, timing?: Timing): Promise<UpstreamFinding[]> {
  const stopping = new AbortController()
  const { signal } = stopping
  // Each probe listens for the fault of its own upstream.
  const faults = new EventEmitter().setMaxListeners(0)
  const names = Object.keys(UPSTREAMS) as UpstreamName[]
  try {
    return await withUpstreams(
      config,
      (upstreams) =>
        Promise.all(
          names.map((upstream) => {
            const { optional, probe } = UPSTREAMS[upstream]
            if (optional?.needs.some((name) => config[name] === undefined))
              return { upstream, state: 'off' as const, answer: optional.isOff, tookMs: 0 }
            // A socket would be opened again and again, and its fault never be seen.
            const failed = once(faults, upstream, { signal }).then(([detail]) => {
              throw new Error(detail)
            })
            return findAnswer(upstream, Promise.race([probe(upstreams, signal), failed]))
          }),
        ),
      { onFault: ({ upstream, detail }) => faults.emit(upstream, detail), timing },
    )
  } finally {
    stopping.abort()
  }
}

async function findAnswer(upstream: UpstreamName, probed: Promise<string>): Promise<UpstreamFinding> {
  const startedMs = performance.now()
  const tookMs = () => Math.round(performance.now() - startedMs)
  try {
    const answer = await withTimeout(probed, ANSWER_MS_MAX, `no answer within ${ANSWER_MS_MAX / 1000} s`)
    return { upstream, state: 'ok', answer, tookMs: tookMs() }
  } catch (error) {
    return { upstream, state: 'failed', answer: messageOf(error), tookMs: tookMs() }
  }
}
