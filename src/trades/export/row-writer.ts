import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import { PARQUET_OPTIONS, parquetColumnsOf, toParquetColumns } from '../../http/parquet.js'
import { type RowFormatName, toCsvLine } from '../../http/row-format.js'
import { BulkTrade } from './schemas.js'

/** Writes the trades of an export, batch by batch. */
export type RowWriter = {
  begin(): Uint8Array
  rows(batch: readonly BulkTrade[]): Uint8Array
  end(): Uint8Array
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

/** Each batch is a row group. */
function createParquetWriter(): RowWriter {
  const columns = parquetColumnsOf([BulkTrade])
  const bytes = new ByteWriter()
  const schema = schemaFromColumnData({ columnData: toParquetColumns(columns, []) })
  const file = new ParquetWriter({ writer: bytes, schema, ...PARQUET_OPTIONS })
  const take = (): Uint8Array => {
    const written = Buffer.from(bytes.getBytes())
    bytes.index = 0
    return written
  }
  return {
    begin: take,
    rows: (batch) => {
      file.write({ columnData: toParquetColumns(columns, batch), rowGroupSize: batch.length })
      return take()
    },
    end: () => {
      file.finish()
      return take()
    },
  }
}

export const ROW_WRITERS: Record<RowFormatName, () => RowWriter> = {
  json: createJsonWriter,
  csv: createCsvWriter,
  ndjson: createNdjsonWriter,
  parquet: createParquetWriter,
}
