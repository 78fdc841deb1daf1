import { parquetColumnsOf } from '../../http/parquet.js'
import { type RowFormatName, toCsvLine } from '../../http/row-format.js'
import { ParquetFile } from './parquet-file.js'
import { BulkTrade } from './schemas.js'

/** Writes the trades of an export, batch by batch. */
export type RowWriter = {
  begin(): Uint8Array
  rows(batch: readonly BulkTrade[]): Uint8Array | Promise<Uint8Array>
  end(): Uint8Array | Promise<Uint8Array>
}

const NOTHING = new Uint8Array()

/** What stands between the brackets of the list. */
function createJsonWriter(): RowWriter {
  let isFirst = true
  return {
    begin: () => NOTHING,
    rows: (batch) => {
      const text = JSON.stringify(batch).slice(1, -1)
      const separator = isFirst ? '' : ','
      isFirst = false
      return Buffer.from(separator + text)
    },
    end: () => NOTHING,
  }
}

function createNdjsonWriter(): RowWriter {
  return {
    begin: () => NOTHING,
    rows: (batch) => Buffer.from(batch.map((trade) => `${JSON.stringify(trade)}\n`).join('')),
    end: () => NOTHING,
  }
}

function createCsvWriter(): RowWriter {
  const columns = Object.keys(BulkTrade.properties)
  return {
    begin: () => Buffer.from(`${columns.join(',')}\r\n`),
    rows: (batch) => Buffer.from(batch.map((trade) => toCsvLine(columns, trade)).join('')),
    end: () => NOTHING,
  }
}

export const ROW_WRITERS: Record<RowFormatName, () => RowWriter> = {
  json: createJsonWriter,
  csv: createCsvWriter,
  ndjson: createNdjsonWriter,
  parquet: () => new ParquetFile(parquetColumnsOf([BulkTrade])),
}
