import { setTimeout as sleep } from 'node:timers/promises'
import { isOutage } from '../../core/database-fault.js'
import { messageOf, OperatorError } from '../../core/errors.js'
import { withLinked } from '../../lib/abort.js'
import { faultFields } from '../../lib/fault-fields.js'
import { FloodLog } from '../../lib/flood-log.js'
import type { Log } from '../../lib/log.js'
import { withTimeout } from '../../lib/timeout.js'
import { pause, repeat } from '../../lib/timing.js'
import { createPool, type Pool, type Target } from '../../store/connection.js'
import { keepSessionAlive, LOCKS } from '../../store/locks.js'

type LeaseOptions = {
  target: Target
  log: Log
  /** Called after each attempt that finds the lease held by another process. */
  onStandby?: (() => void) | undefined
  pollMs?: number | undefined
}

const POLL_MS = 1_000
/** The lease is given up when the database does not answer for this long. Longer than our own pauses. */
const BEAT_MS_MAX = 10_000
/** After a failure this process waits longer, so that another one can try first. */
const FAILED_POLLS = 2

class LeaseLostError extends Error {
  override name = 'LeaseLostError'
}

/**
 * Runs `work` while this process holds the lease, which one process per database can have: an
 * advisory lock of one connection, which the server releases with the connection, however the
 * process ends. When the lease is lost, the signal passed to `work` aborts and the process tries to
 * get the lease again. Errors of `work` are logged and `work` is run again, until it returns or the
 * signal aborts. An OperatorError ends everything.
 */
export async function withLease(
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { log, pollMs = POLL_MS } = options
  const floodLog = new FloodLog(log)
  while (!signal.aborted) {
    let waitMs = pollMs
    try {
      if (await workOnce(options, work, signal)) return
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof OperatorError) throw error
      if (error instanceof LeaseLostError || isOutage(error)) {
        const reason = messageOf(error)
        floodLog.write('warn', 'the lease is lost', () => ({ reason }), reason)
      } else {
        const message = 'work under the lease failed, it is tried again'
        floodLog.write('error', message, () => faultFields(error), messageOf(error))
        waitMs *= FAILED_POLLS
      }
    }
    await pause(waitMs, signal)
  }
}

/** `true`: the work returned. Throws LeaseLostError when the lease was lost before that. */
function workOnce(
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const { log } = options
  return withLinked([signal], async (term) => {
    const lose = (reason: string) => term.abort(new LeaseLostError(reason))
    const session = createPool(options.target, 1, {
      onClose: () => lose('the connection was closed'),
    })
    let isHeld = false
    try {
      await acquire(session, options, term.signal)
      log.info('lease taken: this process books the chain')
      isHeld = true
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
      if (isHeld) log.info('lease released')
    }
  })
}

async function acquire(
  session: Pool,
  { pollMs = POLL_MS, onStandby, log }: LeaseOptions,
  signal: AbortSignal,
): Promise<void> {
  let isWaiting = false
  await session`select ${keepSessionAlive(session)}`
  for (;;) {
    const [row] = await session<{ isHeld: boolean }[]>`
      select pg_try_advisory_lock(${LOCKS.lease}) as is_held`
    signal.throwIfAborted()
    if (row?.isHeld === true) return
    if (!isWaiting) log.info('another process holds the lease: this one stands by')
    isWaiting = true
    onStandby?.()
    await sleep(pollMs, undefined, { signal, ref: false })
  }
}

/** Queries the server regularly, because a server that crashes closes no connection. */
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
