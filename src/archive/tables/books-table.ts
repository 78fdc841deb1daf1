import { selectTokensBetween } from '../../books/recording/queries.js'
import { readRecordedEvents } from '../../books/recording/read-events.js'
import type { RecordedBook, RecordedChange, RecordedEvent } from '../../books/recording/recorded-change.js'
import { parseTokenId, toTokenId } from '../../core/ids.js'
import { parseMillionths } from '../../core/money.js'
import { hexToBytes } from '../../lib/hex.js'
import type { ArchiveColumn } from '../parquet/column-types.js'
import type { ArchiveRow } from '../parquet/encode-file.js'
import type { ArchiveTable } from './archive-table.js'

const COLUMNS = [
  { name: 'token_id', type: 'text' },
  { name: 'token_bytes', type: 'bytes32' },
  { name: 'condition_id', type: 'text', isNullable: true },
  { name: 'received_at', type: 'time' },
  { name: 'kind', type: 'text' },
  { name: 'exchange_at', type: 'time', isNullable: true },
  { name: 'side', type: 'text', isNullable: true },
  { name: 'price', type: 'money', isNullable: true },
  { name: 'size', type: 'money', isNullable: true },
  { name: 'state', type: 'text', isNullable: true },
  { name: 'until', type: 'time', isNullable: true },
] as const satisfies readonly ArchiveColumn[]

type Values = Partial<Record<(typeof COLUMNS)[number]['name'], string | bigint | null>>

/** Rows that are in memory together; a whole book may have some thousands. */
const ROWS_MAX = 5_000

/**
 * The recorded order books of a day, token by token, each in the order in which it was received. `whole`: what follows
 * replaces the book, and each `whole_level` of it is a level; `level`: a level has this size now, 0 takes it away;
 * `gap`: nothing is known until `until`, and what follows begins with a `whole`.
 */
export const BOOKS: ArchiveTable = {
  name: 'books',
  follows: 'facts',
  columns: COLUMNS,
  async *rows(pool, { fromSec, untilSec }) {
    const range = { fromMs: fromSec * 1_000, toMs: untilSec * 1_000 }
    for await (const token of selectTokensBetween(pool, range)) {
      const tokenId = toTokenId(token)
      let rows: ArchiveRow[] = []
      for await (const events of readRecordedEvents(pool, { ...range, tokenIds: [tokenId] })) {
        for (const event of events) {
          rows.push(...toRows(event))
          if (rows.length < ROWS_MAX) continue
          yield rows
          rows = []
        }
      }
      if (rows.length > 0) yield rows
    }
  },
}

function toRows(event: RecordedEvent): ArchiveRow[] {
  const { tokenId, conditionId, atMs } = event
  const bytes = hexToBytes(parseTokenId(tokenId) ?? '0x')
  const ofToken = { token_id: tokenId, condition_id: conditionId ?? null, received_at: toMicros(atMs) }
  return valuesOf(event).map((values) => {
    const all: Values = { ...ofToken, ...values }
    return COLUMNS.map(({ name }) => (name === 'token_bytes' ? bytes : (all[name] ?? null)))
  })
}

function valuesOf(event: RecordedEvent): Values[] {
  switch (event.kind) {
    case 'begin':
      return wholeBook(event.book)
    case 'gap':
      return [{ kind: 'gap', until: toMicros(event.untilMs) }]
    case 'levels':
      return event.changes.map(({ side, price, size, timestampMs }) => ({
        kind: 'level',
        exchange_at: toMicros(timestampMs),
        side,
        price: parseMillionths(price),
        size: parseMillionths(size),
      }))
    case 'change':
      return changeOf(event.change)
  }
}

function changeOf(change: Exclude<RecordedChange, { kind: 'level' }>): Values[] {
  switch (change.kind) {
    case 'snapshot':
      return wholeBook(change.book)
    case 'trade':
      return [
        {
          kind: 'trade',
          exchange_at: toMicros(change.timestampMs),
          side: change.side ?? null,
          price: parseMillionths(change.price),
          size: change.size === undefined ? null : parseMillionths(change.size),
        },
      ]
    case 'details': {
      const { timestampMs, tickSize } = change.details
      const price = tickSize === undefined ? null : parseMillionths(tickSize)
      return [{ kind: 'tick_size', exchange_at: toMicros(timestampMs), price }]
    }
    case 'state':
      return [{ kind: 'state', state: change.state }]
  }
}

function wholeBook({ timestampMs, bids, asks }: RecordedBook): Values[] {
  const exchange_at = toMicros(timestampMs)
  const levelsOf = (side: string, levels: RecordedBook['bids']) =>
    levels.map(
      ({ price, size }): Values => ({
        kind: 'whole_level',
        exchange_at,
        side,
        price: parseMillionths(price),
        size: parseMillionths(size),
      }),
    )
  return [{ kind: 'whole', exchange_at }, ...levelsOf('BUY', bids), ...levelsOf('SELL', asks)]
}

const toMicros = (ms: number): bigint => BigInt(ms) * 1_000n
