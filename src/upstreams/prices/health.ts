import type { SocketState, SocketStatus } from '../transport/socket-options.js'
import type { PriceSourceHealth, PriceSourceName } from './source.js'
import type { TickGate } from './tick-gate.js'

/** `before`: the state while there is no socket yet. */
export function healthOf(
  name: PriceSourceName,
  gate: TickGate | undefined,
  socket: SocketStatus | undefined,
  before: SocketState = 'closed',
): PriceSourceHealth {
  const { lastTickMs, lastTimestampMs } = gate ?? {}
  const { state = before, openedMs } = socket ?? {}
  return { name, state, openedMs, lastTickMs, lastTimestampMs }
}
