import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, OperatorError } from '../../core/errors.js'
import { withLinked } from '../../lib/abort.js'
import type { Log } from '../../lib/log.js'
import { repeat } from '../../lib/repeat.js'
import { withTimeout } from '../../lib/timeout.js'
import { createPool, isOutage, type Pool, type Target } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'

export type LeaseOptions = {
  target: Target
  log: Log
  /** Called when the lease was tried and somebody else has it. */
  onStandby?: (() => void) | undefined
  pollMs?: number | undefined
}

const POLL_MS = 1_000
/** A server that does not answer for so long is gone. Longer than any pause of our own. */
const BEAT_MS_MAX = 10_000
/** After work that failed others may try first. */
const FAILED_POLLS = 2

class LeaseLostError extends Error {
  override name = 'LeaseLostError'
}

/**
 * Runs `work` while this process alone, of all on the same database, holds the lease: a lock that
 * belongs to one connection and ends with it, however the process ends. When the lease is lost the
 * signal of the work aborts, and the lease is tried for again. So it goes on, whatever the work
 * throws, until the signal aborts or the work is done.
 */
export async function withLease(
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { log, pollMs = POLL_MS } = options
  while (!signal.aborted) {
    let waitMs = pollMs
    try {
      if (await workOnce(options, work, signal)) return
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof OperatorError) throw error
      if (error instanceof LeaseLostError || isOutage(error)) {
        log.warn({ reason: messageOf(error) }, 'the lease is lost')
      } else {
        log.error({ err: error }, 'work under the lease failed, it is tried again')
        waitMs *= FAILED_POLLS
      }
    }
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** `true`: the work was done to its end. Throws LeaseLostError when the lease was not ours for so long. */
function workOnce(
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  return withLinked([signal], async (term) => {
    const lose = (reason: string) => term.abort(new LeaseLostError(reason))
    const session = createPool(options.target, 1, () => lose('the connection was closed'))
    try {
      await acquire(session, options, term.signal)
      void beat(session, options, term.signal, lose)
      await work(term.signal)
      term.signal.throwIfAborted()
      return true
    } catch (error) {
      term.signal.throwIfAborted()
      throw error
    } finally {
      term.abort()
      await session.end({ timeout: 0 })
    }
  })
}

async function acquire(
  session: Pool,
  { pollMs = POLL_MS, onStandby }: LeaseOptions,
  signal: AbortSignal,
): Promise<void> {
  // A machine that vanished sends no goodbye: its server shall notice within three seconds.
  await session`
    select set_config('tcp_keepalives_idle', '1', false),
           set_config('tcp_keepalives_interval', '1', false),
           set_config('tcp_keepalives_count', '2', false)`
  for (;;) {
    const [row] = await session<{ isHeld: boolean }[]>`
      select pg_try_advisory_lock(${LOCKS.lease}) as is_held`
    signal.throwIfAborted()
    if (row?.isHeld === true) return
    onStandby?.()
    await sleep(pollMs, undefined, { signal, ref: false })
  }
}

/** Asks the server now and then: one that vanished closes no connection. */
function beat(
  session: Pool,
  { pollMs = POLL_MS }: LeaseOptions,
  signal: AbortSignal,
  lose: (reason: string) => void,
): Promise<void> {
  return repeat(pollMs, signal, async () => {
    const answer = session`select 1`.then(() => undefined)
    await withTimeout(answer, BEAT_MS_MAX, 'the database does not answer').catch((error) =>
      lose(messageOf(error)),
    )
  })
}
