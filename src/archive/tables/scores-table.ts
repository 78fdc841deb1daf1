import { readEventRecord } from '../../replay/event-record.js'
import type { ArchiveColumn } from '../parquet/column-types.js'
import type { ArchiveRow } from '../parquet/encode-file.js'
import type { ArchiveTable } from './archive-table.js'

const TIMES = [
  { name: 'received_at', type: 'time' },
  { name: 'time', type: 'time' },
] as const satisfies readonly ArchiveColumn[]

/** As the stream of scores has them. */
const TEXTS = [
  'game_id',
  'slug',
  'league',
  'home_team',
  'away_team',
  'status',
  'score',
  'period',
  'elapsed',
] as const
const FLAGS = ['live', 'ended'] as const

/** The messages of the score socket about games on a day, for as long as the record for replays reaches back. */
export const SCORES: ArchiveTable = {
  name: 'scores',
  follows: 'facts',
  columns: [
    ...TIMES,
    ...TEXTS.map((name): ArchiveColumn => ({ name, type: 'text', isNullable: true })),
    ...FLAGS.map((name): ArchiveColumn => ({ name, type: 'boolean', isNullable: true })),
  ],
  async *rows(pool, { fromSec, untilSec }) {
    const range = { fromMs: fromSec * 1_000, toMs: untilSec * 1_000 }
    for await (const events of readEventRecord(pool, range)) {
      const rows = events.flatMap(({ bus, event }): ArchiveRow[] => {
        if (bus !== 'scores') return []
        const values = [...TEXTS, ...FLAGS].map((name) => event.data[name] ?? null)
        return [[toMicros(event.publishedMs), toMicros(event.timestampMs), ...values]]
      })
      if (rows.length > 0) yield rows
    }
  },
}

const toMicros = (ms: number): bigint => BigInt(ms) * 1_000n
