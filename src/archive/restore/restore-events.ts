import { promisify } from 'node:util'
import { brotliDecompress, constants } from 'node:zlib'
import { beginEventLog, insertEventRow, selectLogEnds } from '../../events/queries.js'
import { deflateText } from '../../lib/raw-deflate.js'
import { insertReplayRow, selectReplayEnd } from '../../replay/queries.js'
import type { Sql } from '../../store/connection.js'
import type { TableManifest } from '../manifest.js'
import { readTable, rowsOf, type TableReadOptions } from './read-columns.js'

const COLUMNS = ['log', 'first_place', 'last_place', 'session', 'first_ms', 'last_ms', 'events'] as const

const decompress = promisify(brotliDecompress)

/** Appends what live sockets were sent on a day to the two logs. What the logs have already is skipped. */
export async function restoreEvents(
  tx: Sql,
  manifest: TableManifest | undefined,
  read: TableReadOptions,
): Promise<void> {
  let { lastSeq } = await selectLogEnds(tx)
  const othersUntilMs = await selectReplayEnd(tx)
  for await (const group of readTable(manifest, COLUMNS, read)) {
    for (const page of rowsOf(group, COLUMNS)) {
      const [firstPlace, lastPlace] = [Number(page.first_place), Number(page.last_place)]
      const isOfChain = page.log === 'chain'
      const [firstMs, lastMs] = [Number(page.first_ms), Number(page.last_ms)]
      if (isOfChain ? lastPlace <= lastSeq : lastMs <= othersUntilMs) continue
      const json = await decompress(page.events as Uint8Array)
      const events = await deflateText(json, constants.Z_BEST_SPEED)
      if (!isOfChain) {
        await insertReplayRow(tx, { firstMs, lastMs, events })
        continue
      }
      if (lastSeq === 0) await beginEventLog(tx, firstPlace)
      lastSeq = lastPlace
      const row = {
        firstSeq: firstPlace,
        lastSeq,
        session: Number(page.session),
        publishedMs: lastMs,
        events,
      }
      await insertEventRow(tx, row)
    }
  }
}
