import {
  AuspexClient,
  AuspexError,
  type ClientOptions,
  type StatusDetails,
  type StreamGap,
} from 'auspex-client'
import { WebSocket } from 'ws'
import type { ServiceAddress } from '../../config/service-address.js'
import { OperatorError } from '../../core/errors.js'
import { onAbort } from '../../lib/abort.js'
import type { TailEvent } from './event-line.js'
import type { TailSubscription } from './subscription.js'

type TailOptions = ServiceAddress & {
  subscription: TailSubscription
  /** The next event waits for it. `sentMs` is the time of the message that the event came in, where it has one. */
  onEvent(event: TailEvent, sentMs?: number): Promise<void>
  /** Tells the user about the connection. */
  notify(text: string): void
  signal: AbortSignal
  /** Waits between connections; replaces timers. */
  sleep?: ClientOptions['sleep']
}

/**
 * Hands over events until the signal aborts. A lost connection is opened again, and the stream goes on
 * after its last event. Throws what the user can fix: a wrong address, key or filter.
 */
export async function tailStream(options: TailOptions): Promise<void> {
  const { url, key, subscription, onEvent, notify, signal, sleep } = options
  const socketUrls = { events: url }
  const client = new AuspexClient({ baseUrl: url.origin, apiKey: key, WebSocket, socketUrls, sleep })
  const unlink = onAbort(signal, () => client.close())
  try {
    const stream = client.subscribe(subscription)
    const failed = watchStatus(stream, notify)
    for await (const item of stream) {
      if (item.type === 'gap') describeGap(subscription, item, notify)
      else for (const { event, sentMs } of eventsOf(item)) if (!signal.aborted) await onEvent(event, sentMs)
    }
    if (failed.error !== undefined) throw failed.error
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error
    if (!signal.aborted) throw new OperatorError(`${url.href}: ${describeError(error)}`)
  } finally {
    unlink()
    client.close()
  }
}

type Watched = { onStatus: ReturnType<AuspexClient['subscribe']>['onStatus']; close(): void }

/** Tells what becomes of the connection. What fails at first fails again; later the service may be restarting. */
function watchStatus(stream: Watched, notify: (text: string) => void): { error?: AuspexError } {
  const failed: { error?: AuspexError } = {}
  let isKnown = false
  stream.onStatus((status, { error, retryInMs = 0, acknowledgement, afterSeq }) => {
    if (status === 'open') {
      describeAcknowledgement(acknowledgement, notify)
      if (isKnown) describeReturn(acknowledgement, afterSeq, notify)
      isKnown = true
    }
    if (status !== 'reconnecting' || error === undefined) return
    if (isKnown) {
      notify(`-- ${describeError(error)}; connecting again in ${(retryInMs / 1_000).toFixed(1)} s`)
    } else {
      failed.error = error
      stream.close()
    }
  })
  return failed
}

const describeError = ({ message, code }: AuspexError): string =>
  code === undefined ? message : `${message} (${code})`

function describeAcknowledgement(
  acknowledgement: StatusDetails['acknowledgement'],
  notify: (text: string) => void,
): void {
  for (const warning of acknowledgement?.warnings ?? []) notify(`-- ${warning}`)
  if (acknowledgement !== undefined && 'markets' in acknowledgement && acknowledgement.markets === 0) {
    notify('-- no book has this name')
  }
}

/** Where something is missing, the gap in the stream says so. */
function describeReturn(
  acknowledgement: StatusDetails['acknowledgement'],
  afterSeq: number | undefined,
  notify: (text: string) => void,
): void {
  const resume = acknowledgement !== undefined && 'resume' in acknowledgement && acknowledgement.resume
  if (resume === 'gap' || resume === 'confirmed') return
  notify(afterSeq === undefined ? '-- connected again' : `-- resumed behind seq ${afterSeq}`)
}

function describeGap(
  subscription: TailSubscription,
  { missing }: StreamGap,
  notify: (text: string) => void,
): void {
  // Books are sent whole again.
  if ('markets' in subscription) return
  notify(
    missing === 'events'
      ? '-- resumed with a gap: events are missing here'
      : '-- resumed after a restart of the service: pending events may be missing here',
  )
}

/** Messages about books have several in them. */
export function eventsOf(message: TailEvent): { event: TailEvent; sentMs?: number | undefined }[] {
  const { type, ts, snapshots, updates } = message
  if (type === 'snapshots_done') return []
  const parts = type === 'snapshot_batch' ? snapshots : type === 'batch' ? updates : undefined
  if (!Array.isArray(parts)) return [{ event: message }]
  return parts.map((event) => ({ event, sentMs: typeof ts === 'number' ? ts : undefined }))
}
