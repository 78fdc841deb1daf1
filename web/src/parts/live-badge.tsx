import type { LiveState } from '../live.js'

const TEXTS: Record<LiveState, string> = {
  connecting: 'connecting …',
  open: 'live',
  resumed: 'live, resumed after a lost connection',
  reconnecting: 'connection lost, trying again …',
  failed: 'not live: reload the page to try again',
}

/** Whether what is shown moves by itself. */
export const LiveBadge = ({ state }: { state: LiveState }) => (
  <output className={state === 'open' || state === 'resumed' ? 'badge live' : 'badge warn'}>
    {TEXTS[state]}
  </output>
)
