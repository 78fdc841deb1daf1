import type { TObject } from 'typebox'
import { parquetColumnsOf } from '../../http/parquet.js'
import { type RowFormatName, toCsvLine } from '../../http/row-format.js'
import { ParquetFile } from './parquet-file.js'
import { AS_MILLIONTHS, AS_NUMBERS, createBulkPresenter } from './present.js'
import type { ExportRow } from './queries.js'
import { BulkTrade, WalletBulkTrade } from './schemas.js'

/** Writes the trades of an export, batch by batch. */
export type RowWriter = {
  begin(): Uint8Array
  rows(batch: readonly ExportRow[]): Uint8Array | Promise<Uint8Array>
  end(): Uint8Array | Promise<Uint8Array>
}

const NOTHING = new Uint8Array()

/** What stands between the brackets of the list. */
function createJsonWriter(wallet?: string): RowWriter {
  const present = createBulkPresenter(AS_NUMBERS, wallet)
  let isFirst = true
  return {
    begin: () => NOTHING,
    rows: (batch) => {
      const text = JSON.stringify(batch.map(present)).slice(1, -1)
      const separator = isFirst ? '' : ','
      isFirst = false
      return Buffer.from(separator + text)
    },
    end: () => NOTHING,
  }
}

function createNdjsonWriter(wallet?: string): RowWriter {
  const present = createBulkPresenter(AS_NUMBERS, wallet)
  return {
    begin: () => NOTHING,
    rows: (batch) => Buffer.from(batch.map((row) => `${JSON.stringify(present(row))}\n`).join('')),
    end: () => NOTHING,
  }
}

function createCsvWriter(wallet?: string): RowWriter {
  const present = createBulkPresenter(AS_NUMBERS, wallet)
  const columns = Object.keys(rowOf(wallet).properties)
  return {
    begin: () => Buffer.from(`${columns.join(',')}\r\n`),
    rows: (batch) => Buffer.from(batch.map((row) => toCsvLine(columns, present(row))).join('')),
    end: () => NOTHING,
  }
}

function createParquetWriter(wallet?: string): RowWriter {
  const present = createBulkPresenter(AS_MILLIONTHS, wallet)
  const file = new ParquetFile(parquetColumnsOf([rowOf(wallet)]))
  return {
    begin: () => file.begin(),
    rows: (batch) => file.rows(batch.map(present)),
    end: () => file.end(),
  }
}

const rowOf = (wallet: string | undefined): TObject => (wallet === undefined ? BulkTrade : WalletBulkTrade)

/** `wallet`: of an export of one wallet's trades. */
export const ROW_WRITERS: Record<RowFormatName, (wallet?: string) => RowWriter> = {
  json: createJsonWriter,
  csv: createCsvWriter,
  ndjson: createNdjsonWriter,
  parquet: createParquetWriter,
}
