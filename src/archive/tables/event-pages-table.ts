import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { inflateText } from '../../lib/raw-deflate.js'
import type { Pool } from '../../store/connection.js'
import type { ArchiveDay } from '../days.js'
import type { ArchiveRow } from '../parquet/encode-file.js'
import { type ArchiveTable, type SqlColumn, sqlTable } from './archive-table.js'

/** A reader of any moment decodes a page; longer ones would not be much smaller. */
const PAGE_CHARS = 500_000
const PAGES_PER_GROUP = 100
const QUALITY = 5

const compress = promisify(brotliCompress)

const COLUMNS: readonly SqlColumn[] = [
  { name: 'log', type: 'text', sql: 'p.log' },
  { name: 'first_place', type: 'bigint', sql: 'p.first_place' },
  { name: 'last_place', type: 'bigint', sql: 'p.last_place' },
  { name: 'session', type: 'bigint', sql: 'p.session' },
  { name: 'first_ms', type: 'bigint', sql: 'p.first_ms' },
  { name: 'last_ms', type: 'bigint', sql: 'p.last_ms' },
  { name: 'events', type: 'bytes', sql: 'p.events' },
]

/** The rows of both logs as they are stored, each log in its order. */
const STORED = sqlTable({
  name: 'stored events',
  follows: 'facts',
  rowsPerGroup: PAGES_PER_GROUP,
  columns: COLUMNS,
  from: `(
    select 'chain' as log, first_seq as first_place, last_seq as last_place, session,
           published_ms as first_ms, published_ms as last_ms, events
      from event_log where published_ms >= $1::bigint and published_ms < $2::bigint
    union all
    select 'others', id, id, 0, first_ms, last_ms, events
      from replay_log where last_ms >= $1::bigint and last_ms < $2::bigint
  ) p order by p.log, p.last_place`,
  parameters: ({ fromSec, untilSec }) => [fromSec * 1_000, untilSec * 1_000],
})

type StoredRow = {
  log: string
  firstPlace: bigint
  lastPlace: bigint
  session: bigint
  firstMs: bigint
  lastMs: bigint
}

/**
 * What live sockets were sent on a day, for a restore, for as long as AUSPEX_REPLAY_DAYS reaches back: the events of the
 * chain, and coin prices and scores, as JSON in pages. Rows of the database are put together, because longer pages
 * compress better.
 */
export const EVENT_PAGES: ArchiveTable = {
  name: 'event_pages',
  follows: 'facts',
  rowsPerGroup: PAGES_PER_GROUP,
  columns: STORED.columns,
  async *rows(pool, day) {
    let page: StoredRow | undefined
    let texts: string[] = []
    let chars = 0
    for await (const { row, text } of readStored(pool, day)) {
      const isFull = chars >= PAGE_CHARS
      if (page !== undefined && (isFull || row.log !== page.log || row.session !== page.session)) {
        yield [await toPage(page, texts)]
        page = undefined
        texts = []
        chars = 0
      }
      page = { ...row, firstPlace: page?.firstPlace ?? row.firstPlace, firstMs: page?.firstMs ?? row.firstMs }
      texts.push(text)
      chars += text.length
    }
    if (page !== undefined) yield [await toPage(page, texts)]
  },
}

async function* readStored(pool: Pool, day: ArchiveDay) {
  for await (const rows of STORED.rows(pool, day)) {
    for (const [log, firstPlace, lastPlace, session, firstMs, lastMs, events] of rows) {
      const row = { log, firstPlace, lastPlace, session, firstMs, lastMs } as StoredRow
      // Without the brackets of the list.
      const text = (await inflateText(events as Buffer)).slice(1, -1)
      yield { row, text }
    }
  }
}

async function toPage(row: StoredRow, texts: readonly string[]): Promise<ArchiveRow> {
  const { log, firstPlace, lastPlace, session, firstMs, lastMs } = row
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY }
  const events = await compress(`[${texts.join()}]`, { params })
  return [log, firstPlace, lastPlace, session, firstMs, lastMs, events]
}
