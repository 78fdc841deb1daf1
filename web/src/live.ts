import type { StreamEvent, StreamGap, StreamStatus, SubscribeOptions } from 'auspex-client'
import { useEffect, useRef, useState } from 'react'
import { auspex } from './api.js'
import { type ShownTrade, tradeOfEvent } from './parts/trades.js'

/** `resumed`: the connection was lost for a moment, and nothing was missed. */
export type LiveState = StreamStatus | 'resumed' | 'failed'

/** What the client gives for a stream, of events or of order books. */
type Stream<Item> = AsyncIterable<Item> & {
  onStatus(listener: (status: StreamStatus) => void): void
  close(): void
}

/** Hands on what a stream brings and how its connection does, until the function that it returns is called. */
export function follow<Item>(
  stream: Stream<Item>,
  onItem: (item: Item) => void,
  onState: (state: LiveState) => void,
): () => void {
  let wasLost = false
  stream.onStatus((status) => {
    onState(status === 'open' && wasLost ? 'resumed' : status)
    wasLost ||= status === 'reconnecting'
  })
  void (async () => {
    try {
      for await (const item of stream) onItem(item)
    } catch {
      onState('failed')
    }
  })()
  return () => stream.close()
}

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
    return follow(events, (event) => latest.current(event), setState)
  }, [wanted])
  return state
}

/** The newest trades of a stream, as they happen, newest first. */
export function useLiveTrades(
  subscription: SubscribeOptions,
  shown: number,
): { live: readonly ShownTrade[]; state: LiveState } {
  const [live, setLive] = useState<readonly ShownTrade[]>([])
  const state = useLive(subscription, (event) => {
    if (event.type === 'trade') setLive((before) => [tradeOfEvent(event), ...before].slice(0, shown))
  })
  return { live, state }
}
