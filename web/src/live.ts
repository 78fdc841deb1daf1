import type { StreamEvent, StreamGap, StreamStatus, SubscribeOptions } from 'auspex-client'
import { useEffect, useRef, useState } from 'react'
import { auspex } from './api.js'

/** `resumed`: the connection was lost for a moment, and nothing was missed. */
export type LiveState = StreamStatus | 'resumed' | 'failed'

/** Follows a stream while the page shows it. All streams of a page share one connection. */
export function useLive(
  subscription: SubscribeOptions | undefined,
  onEvent: (event: StreamEvent | StreamGap) => void,
): LiveState {
  const [state, setState] = useState<LiveState>('connecting')
  const latest = useRef(onEvent)
  latest.current = onEvent
  const wanted = subscription === undefined ? undefined : JSON.stringify(subscription)

  useEffect(() => {
    if (wanted === undefined) return
    const events = auspex.subscribe(JSON.parse(wanted) as SubscribeOptions)
    let wasLost = false
    events.onStatus((status) => {
      setState(status === 'open' && wasLost ? 'resumed' : status)
      wasLost ||= status === 'reconnecting'
    })
    void (async () => {
      try {
        for await (const event of events) latest.current(event)
      } catch {
        setState('failed')
      }
    })()
    return () => events.close()
  }, [wanted])
  return state
}
