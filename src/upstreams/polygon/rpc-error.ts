import { UpstreamError } from '../../core/upstream-error.js'
import { TimeoutError } from '../../lib/timeout.js'
import { BodyTooLargeError, shorten } from '../transport/http-try.js'

/**
 * What a node means by its refusal:
 * `tooMuch`: the same logs may be had in smaller pieces. `lagging`: this replica does not have the
 * block yet, another or a later one does. `busy`: we ask too often. `broken`: the node failed.
 * `refused`: the same request would fail again.
 */
export type RpcFault = 'tooMuch' | 'lagging' | 'busy' | 'broken' | 'refused'

export class RpcError extends UpstreamError {
  override name = 'RpcError'
  /** Of JSON-RPC: -32000 and its neighbours. */
  readonly code: number
  readonly fault: RpcFault

  constructor(upstream: string, method: string, code: number, message: string) {
    const fault = classify(method, code, message)
    const retryable = fault === 'lagging' || fault === 'busy' || fault === 'broken'
    super(`${method} answered ${code}: ${shorten(message)}`, { upstream, retryable })
    this.code = code
    this.fault = fault
  }
}

/** The node answered, and what it said must not be trusted. Another replica may do better. */
export class AnswerError extends UpstreamError {
  override name = 'AnswerError'
}

/** Whether the logs were refused, by the node or by our own limits, only because the range is too large. */
export function needsSmallerRange(error: unknown): boolean {
  if (error instanceof RpcError) return error.fault === 'tooMuch'
  if (!(error instanceof UpstreamError)) return false
  const { cause, status, message } = error
  if (cause instanceof TimeoutError || cause instanceof BodyTooLargeError) return true
  if (status === undefined) return false
  // Some providers put the error of JSON-RPC under a status of HTTP.
  return TOO_MUCH_STATUSES.has(status) || classify('eth_getLogs', status, message) === 'tooMuch'
}

const TOO_MUCH_STATUSES = new Set([408, 413, 504])
/** Range over the maximum, limit exceeded, timed out, answer too large. */
const TOO_MUCH_CODES = new Set([-32701, -32005, -32002, -32003])
const BROKEN_CODES = new Set([-32603, -32002])

const LAGGING = words(
  'invalid block range( params)?$',
  'header not found',
  'unknown block',
  'block not found',
  'not yet available',
  'beyond (the )?(current )?head',
  'greater than (the )?latest',
  'after last accepted',
)
const BUSY = words(
  'rate.?limit',
  'too many requests',
  'requests? per',
  'request count',
  'throughput',
  'capacity',
  'compute units',
  'quota',
)
const TOO_MUCH = words(
  'blocks? range',
  'range.{0,20}too (large|wide|big)',
  'max(imum)? range',
  'ranges? over [\\d,]+',
  'exceeds? (the |max(imum)? )?(range|results)',
  'limited to (a )?[\\d,]+ (range|blocks?)',
  'at most [\\d,]+ blocks',
  'number of requested blocks',
  'too many (results|logs|blocks)',
  'more than [\\d,]+ (results|logs)',
  '(results|logs).{0,20}(exceed|limit)',
  'limit exceeded',
  'response.{0,15}too (large|big)',
  'response size',
  'time.?out',
  'timed out',
  'deadline exceeded',
)

/** Providers agree on few codes, and some use one code for several faults: the message decides first. */
function classify(method: string, code: number, message: string): RpcFault {
  if (LAGGING.test(message)) return 'lagging'
  if (BUSY.test(message) || code === 429) return 'busy'
  if (method === 'eth_getLogs' && (TOO_MUCH.test(message) || TOO_MUCH_CODES.has(code))) return 'tooMuch'
  return BROKEN_CODES.has(code) ? 'broken' : 'refused'
}

function words(...patterns: string[]): RegExp {
  return new RegExp(patterns.join('|'), 'i')
}
