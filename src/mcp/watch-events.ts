import type { AuspexError, SubscribeOptions } from 'auspex-client'
import { WebSocket } from 'ws'
import type { Fields } from '../core/errors.js'
import { onAbort } from '../lib/abort.js'
import { endSentence } from './call-tool.js'
import { type EventWatch, ToolError, type WatchedEvents } from './tool.js'

type WatchOptions = {
  /** Where the service serves WebSockets. */
  url: string
  key: string
  /** Aborts when the caller has left. */
  signal: AbortSignal
}

/**
 * Live events over a WebSocket of the caller's own, so that its plan limits them like those of any client. Ends with
 * the events that came in time. Throws a `ToolError` when the service refuses the subscription.
 */
export async function watchEvents(wanted: EventWatch, options: WatchOptions): Promise<WatchedEvents> {
  // Loaded here: the types of the client are made from documents that this service writes before the client is built.
  const { AuspexClient, AuspexError } = await import('auspex-client')
  const { type, filters, sinceSeq, countMax, timeoutMs } = wanted
  const client = new AuspexClient({ baseUrl: options.url, apiKey: options.key, WebSocket })
  const watched = { events: [] as Fields[], seq: sinceSeq, warnings: [] as string[] }
  const end = () => client.close()
  const unlink = onAbort(options.signal, end)
  let timer: NodeJS.Timeout | undefined
  try {
    const past = sinceSeq === undefined ? { snapshotCount: 0 } : { sinceSeq }
    const stream = client.subscribe({ type, filters, ...past } as SubscribeOptions)
    let refusal: AuspexError | undefined
    stream.onStatus((status, { error, acknowledgement }) => {
      if (status === 'open') {
        // The wait begins when nothing can be missed any more.
        timer ??= setTimeout(end, timeoutMs)
        const { resume_seq, warnings = [] }: { resume_seq?: number; warnings?: string[] } = {
          ...acknowledgement,
        }
        watched.seq ??= resume_seq
        watched.warnings.push(...warnings)
      }
      if (status !== 'reconnecting' || error === undefined) return
      // What is refused at first is refused again; a connection that is lost later is opened again.
      if (timer === undefined) {
        refusal = error
        end()
      }
    })
    for await (const item of stream) {
      if (item.type === 'gap') watched.warnings.push('events are missing before these: the cursor is too old')
      else watched.events.push({ ...item })
      if (watched.events.length >= countMax) break
    }
    if (refusal !== undefined) throw refusal
    const last = watched.events.at(-1)?.seq
    return { ...watched, seq: typeof last === 'number' ? last : watched.seq }
  } catch (error) {
    if (error instanceof AuspexError) throw new ToolError(explainRefusal(error))
    throw error
  } finally {
    clearTimeout(timer)
    unlink()
    client.close()
  }
}

function explainRefusal({ message, code, retryAfterSeconds }: AuspexError): string {
  const retry =
    retryAfterSeconds === undefined ? 'Call again later' : `Call again after ${retryAfterSeconds} seconds`
  const advice =
    code === 'invalid_filter' || code === 'invalid_subscription'
      ? 'Correct this argument and call again.'
      : `${retry}, or read what happened with list_trades.`
  return `${endSentence(message)} ${advice}${code === undefined ? '' : ` (${code})`}`
}
