import type { SocketGap } from '../transport/socket-options.js'
import type { PriceGap, PriceSourceName } from './source.js'
import type { TickGate } from './tick-gate.js'

/** The gap in moments of prices: they come late, so it begins where the stream that is furthest behind was. */
export function toPriceGap(
  source: PriceSourceName,
  { fromMs, toMs, reason }: SocketGap,
  gate: TickGate,
): PriceGap {
  const settledMs = gate.closeGap(toMs) ?? fromMs
  return { source, fromMs: Math.min(fromMs, settledMs), toMs, reason }
}
