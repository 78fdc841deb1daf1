import { ApiError } from '../core/errors.js'
import type { AnswerTools } from '../http/answer.js'
import type { Copy } from '../store/copies.js'
import type { CallOptions } from '../upstreams/transport/http.js'
import { withPatience } from '../upstreams/transport/patience.js'

/** What everything of sports is read with: the caller pays for the calls that the request causes. */
export type SportsTools = Pick<AnswerTools, 'ctx' | 'caller'>

/** One way to read something. `name` is how answers call it, such as `gamma:/events`. */
export type SportsSource<Value> = { name: string; read: (call: CallOptions) => Promise<Value> }

/** `isFallback`: an earlier source did not answer. */
export type Sourced<Value> = { value: Value; source: string; isFallback: boolean }

/** How long all sources of an answer may take together: clients give up after ten seconds. */
const PATIENCE_MS = 8_000

/**
 * Asks sources in this order until one answers. An `ApiError` is an answer, such as 404. Throws what
 * the last one threw.
 */
export async function readFirst<Value>(
  { caller }: Pick<SportsTools, 'caller'>,
  sources: readonly SportsSource<Value>[],
): Promise<Sourced<Value>> {
  let fault: unknown
  for (const [place, { name, read }] of sources.entries()) {
    try {
      const call = (signal: AbortSignal) => read({ signal, accountId: caller.accountId })
      const value = await withPatience('gamma', call, PATIENCE_MS / sources.length)
      return { value, source: name, isFallback: place > 0 }
    } catch (error) {
      if (error instanceof ApiError) throw error
      fault = error
    }
  }
  throw fault
}

/** The same behind a copy of it under that key, which stands in while no source answers. */
export const readFirstOrCopy = <Value>(
  tools: SportsTools,
  { key, freshMs, sources }: CopiedSources<Value>,
): Promise<Copy<Sourced<Value>>> =>
  tools.ctx.copies.get(key, {
    freshMs,
    accountId: tools.caller.accountId,
    load: () => readFirst(tools, sources),
  })

/** `key`: of things that exist, because each takes a row in the database. */
type CopiedSources<Value> = {
  key: string
  freshMs: number
  sources: readonly SportsSource<Value>[]
}
