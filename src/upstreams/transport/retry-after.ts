export type Headers = Readonly<Record<string, string | string[] | undefined>>

// Who asks for more is asked again earlier: an upstream that errs must not silence us for hours.
const RETRY_AFTER_MS_MAX = 10 * 60_000

/**
 * How long the upstream wants to be left alone: `Retry-After` in seconds or as a date, or the CLOB's
 * field for it. `undefined` when it says nothing that can be read.
 */
export function parseRetryAfterMs(
  headers: Headers,
  body: string,
  nowMs: number,
): number | undefined {
  const ms = fromHeader(headers, nowMs) ?? fromBody(body)
  return ms === undefined ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX)
}

function fromHeader(headers: Headers, nowMs: number): number | undefined {
  const asked = headers['retry-after']
  if (typeof asked !== 'string') return undefined
  if (/^\d+(\.\d+)?$/.test(asked.trim())) return Number(asked) * 1_000
  // Its own clock, where the upstream tells it: ours may be wrong.
  const sentMs = Date.parse(String(headers.date))
  const ms = Date.parse(asked) - (Number.isNaN(sentMs) ? nowMs : sentMs)
  return Number.isNaN(ms) ? undefined : ms
}

function fromBody(body: string): number | undefined {
  const seconds = /"retry_after_seconds"\s*:\s*"?(\d+(?:\.\d+)?)/.exec(body)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1_000
}
