import { AuspexClient, AuspexError } from 'auspex-client'
import { WebSocket } from 'ws'
import { findService, type ServiceFlags } from '../../config/service-address.js'
import { OperatorError } from '../../core/errors.js'
import { onAbort } from '../../lib/abort.js'
import { stopSignal } from '../../lib/stop-signal.js'
import { EventPrinter } from '../tail/run-tail.js'
import { makeSubscription, type SubscriptionFlags } from '../tail/subscription.js'
import { eventsOf } from '../tail/tail-stream.js'

export type ReplayFlags = SubscriptionFlags &
  ServiceFlags & {
    from?: string
    to?: string
    minutes?: number
    speed: number | 'max'
    count?: number
    json?: boolean
  }

const MINUTE_MS = 60_000
/** The clock of the service may be a little behind, and refuses what is to come. */
const NOW_MS = 2_000

/** Prints events of a range until its end, until Ctrl-C, until `count` of them are printed, or until stdout is closed. */
export async function runReplay(type: string, flags: ReplayFlags): Promise<void> {
  const { speed, count: left = Number.POSITIVE_INFINITY, json: isJson = false } = flags
  const { from, to } = parseRangeFlags(flags, Date.now())
  const subscription = makeSubscription(type, flags)
  const { url, key } = findService(flags)
  const ending = new AbortController()
  const end = () => ending.abort()
  stopSignal().addEventListener('abort', end)
  process.stdout.on('error', end)
  const printer = new EventPrinter(process.stdout, { isJson, left, onLast: end })

  const client = new AuspexClient({ baseUrl: url.origin, apiKey: key, WebSocket })
  const unlink = onAbort(ending.signal, () => client.close())
  try {
    const replay = client.replay({ from, to, speed })
    replay.onState(({ state, recorded_from: recordedFrom }) => {
      // Books have a record of their own, which says itself where it has gaps.
      if (state === 'playing' && !('markets' in subscription)) describeStart(from, recordedFrom)
    })
    for await (const item of replay.subscribe(subscription))
      for (const { event, sentMs } of eventsOf(item))
        if (!ending.signal.aborted) await printer.print(event, sentMs)
    const counts = await replay.ended
    if (counts !== undefined) console.error(`-- the replay has ended: ${counts.events} events`)
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error
    if (!ending.signal.aborted) throw new OperatorError(`${url.href}: ${error.message}`)
  } finally {
    unlink()
    client.close()
  }
}

/** Throws an `OperatorError` that names the flag. */
export function parseRangeFlags(
  { from, to, minutes }: Pick<ReplayFlags, 'from' | 'to' | 'minutes'>,
  nowMs: number,
) {
  const toMs = to === undefined ? nowMs - NOW_MS : parseTime('--to', to)
  if ((from === undefined) === (minutes === undefined)) {
    throw new OperatorError('Say where the replay begins: either --from or --minutes.', 2)
  }
  const fromMs = from === undefined ? toMs - (minutes ?? 0) * MINUTE_MS : parseTime('--from', from)
  if (fromMs >= toMs) throw new OperatorError('--to must be later than --from.', 2)
  return { from: fromMs, to: toMs }
}

function parseTime(flag: string, text: string): number {
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text)
  if (Number.isFinite(ms)) return ms
  throw new OperatorError(`${flag} must be a time such as 2026-01-31T12:00:00Z, or Unix seconds.`, 2)
}

function describeStart(fromMs: number, recordedFromMs: number | null): void {
  if (recordedFromMs === null) console.error('-- the service has recorded nothing yet')
  else if (fromMs < recordedFromMs)
    console.error(`-- what was published before ${new Date(recordedFromMs).toISOString()} is not kept`)
}
