import { ApiError } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { TimeoutError, withTimeout } from '../../lib/timeout.js'
import type { GameQuery } from './game-queries.js'

export type ContextStatus = 'ok' | 'partial' | 'error' | 'quota_exceeded' | 'not_available'

/** How a query went, or a whole source. `error`: why something is missing. */
export type Settled = { status: ContextStatus; error?: string }

/** What a source gave for a query. */
export type Found<Item> = { items: Item[]; status: 'ok' | 'partial' }

export type SettledQuery<Item> = Settled & { id: string; query: string; items: Item[] }

const LATE = 'No answer in time.'

/** Waits for a query, and never throws for what upstreams, limits or plans cause. */
export async function settleQuery<Item>(
  { id, query }: GameQuery,
  found: Promise<Found<Item>>,
  leftMs: number,
): Promise<SettledQuery<Item>> {
  try {
    return { id, query, ...(await withTimeout(found, leftMs, LATE)) }
  } catch (error) {
    return { id, query, ...describeSourceFault(error), items: [] }
  }
}

/** The status of a source from those of its queries. */
export function sumUp(queries: readonly Settled[]): Settled {
  const failed = queries.find(({ status }) => status !== 'ok')
  if (failed === undefined) return { status: 'ok' }
  const why = failed.error === undefined ? {} : { error: failed.error }
  if (queries.some(({ status }) => status === 'ok' || status === 'partial'))
    return { status: 'partial', ...why }
  const isSame = queries.every(({ status }) => status === failed.status)
  return { status: isSame ? failed.status : 'error', ...why }
}

/** Throws what is a fault of ours. */
export function describeSourceFault(error: unknown): Settled & { error: string } {
  if (error instanceof TimeoutError) return { status: 'error', error: error.message }
  if (error instanceof UpstreamError) return { status: 'error', error: `${error.upstream} does not answer` }
  if (!(error instanceof ApiError)) throw error
  const { message, fields } = error
  if (message === 'not_configured')
    return { status: 'not_available', error: String(fields.detail ?? message) }
  const isQuota = fields.scope === 'social_quota'
  return { status: isQuota ? 'quota_exceeded' : 'error', error: message }
}
