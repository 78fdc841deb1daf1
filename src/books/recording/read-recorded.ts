import { parseTokenId } from '../../core/ids.js'
import type { Sql } from '../../store/connection.js'
import type { LiveBook } from '../live-book.js'
import { unwrapStrip } from './compression.js'
import {
  type RecordedSpan,
  selectBookTokenId,
  selectSpans,
  selectStripStart,
  selectStrips,
} from './queries.js'
import { isBefore, type Moment, type RecordedChange } from './recorded-change.js'
import { ReplayedBook } from './replayed-book.js'
import { decodeStrip } from './strip.js'

/** A token as the recording knows it. */
export type RecordedToken = { id: number; tokenId: string; conditionId: string | undefined }

/** `toMs`: the first moment that is not in it. */
export type RecordedRange = { fromMs: number; toMs: number }

/** `tokenId`: decimal. `undefined`: it was never recorded. */
export async function findRecordedToken(sql: Sql, tokenId: string): Promise<RecordedToken | undefined> {
  const token = parseTokenId(tokenId)
  const found = token === undefined ? undefined : await selectBookTokenId(sql, token)
  return found === undefined ? undefined : { ...found, tokenId }
}

/** The book of a token at a moment, with all changes of that millisecond. `undefined`: the moment is not recorded. */
export async function readBookAt(
  sql: Sql,
  token: RecordedToken,
  atMs: number,
): Promise<LiveBook | undefined> {
  const [span] = await selectSpans(sql, token.id, { fromMs: atMs, toMs: atMs + 1, limit: 1 })
  if (span === undefined) return undefined
  const replayed = new ReplayedBook(token.tokenId)
  let hasBegun = false
  for await (const changes of readSpan(sql, token, { ...span, fromMs: atMs, toMs: atMs + 1 })) {
    for (const change of changes) {
      if (change.kind === 'level') {
        replayed.apply({ ...change, ...token, kind: 'levels', changes: [change] })
      } else {
        hasBegun ||= change.kind === 'snapshot'
        replayed.apply({ ...change, ...token, kind: 'change', change })
      }
    }
  }
  return hasBegun ? replayed.book : undefined
}

/**
 * The changes of a span, from the last whole book at `fromMs` or before it up to `toMs`, strip by strip. Nothing: what
 * the span begins with was dropped.
 */
export async function* readSpan(
  sql: Sql,
  { id }: RecordedToken,
  { recording, fromMs, toMs }: RecordedSpan,
): AsyncGenerator<RecordedChange[]> {
  const of = { token: id, recording }
  const start = await selectStripStart(sql, of, fromMs)
  if (start === undefined) return
  let after: Moment = { atMs: start.fromMs, ordinal: start.fromPlace - 1 }
  for (;;) {
    const strips = await selectStrips(sql, { ...of, start, after, toMs })
    if (strips.length === 0) return
    for (const strip of strips) {
      const changes: RecordedChange[] = []
      for (const change of decodeStrip(await unwrapStrip(strip.bytes))) {
        if (change.atMs >= toMs) break
        if (isBefore(after, change)) changes.push(change)
      }
      if (changes.length > 0) yield changes
      after = { atMs: strip.toMs, ordinal: strip.toPlace }
    }
  }
}
