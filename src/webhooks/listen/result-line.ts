import type { ListenedEvent } from './listener-client.js'
import type { ForwardResult } from './schemas.js'

type LineStyle = { isJson: boolean; hasColour: boolean }

const GREEN = '\x1b[32m'
const RED = '\x1b[31m'
const PLAIN = '\x1b[0m'

/** One line: time, event type, id, status code, latency, and what went wrong. */
export function formatResult(
  { event_type: eventType }: ListenedEvent,
  result: ForwardResult,
  nowMs: number,
  { isJson, hasColour }: LineStyle,
): string {
  if (isJson) return JSON.stringify({ event_type: eventType, ...result })
  const { event_id: eventId, success, status_code: status, latency_ms: latencyMs, error } = result
  const code = `${status ?? '---'}`
  const colour = success ? GREEN : RED
  const cells = [
    new Date(nowMs).toISOString().slice(11, 23),
    eventType.padEnd(22),
    eventId,
    hasColour ? `${colour}${code}${PLAIN}` : code,
    `${latencyMs} ms`.padStart(8),
    error ?? '',
  ]
  return cells.join('  ').trimEnd()
}
