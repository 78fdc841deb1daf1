import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { duckdbText, parquetMetadataOf, readWithDuckdb } from '../../../test/read-rows.js'
import { toDecimalText } from '../../core/money.js'
import { parquetColumnsOf } from '../../http/parquet.js'
import { Decimal, UnixTime } from '../../http/row-fields.js'
import { ParquetFile } from './parquet-file.js'

const Row = Type.Object({
  id: Type.String(),
  side: Type.String(),
  time: UnixTime(),
  price: Decimal(),
})

const makeRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `0x${index.toString(16).padStart(64, '0')}`,
    side: index % 3 === 0 ? 'BUY' : 'SELL',
    time: 1_793_000_000 + index,
    price: BigInt(index) * 142_857n,
  }))

async function writeBatches(rows: readonly object[], batch: number): Promise<Buffer> {
  const file = new ParquetFile(parquetColumnsOf([Row]))
  const pieces = [file.begin()]
  for (let start = 0; start < rows.length; start += batch) {
    pieces.push(await file.rows(rows.slice(start, start + batch)))
  }
  pieces.push(await file.end())
  return Buffer.concat(pieces)
}

test.each([
  [0, 2_000],
  [1, 2_000],
  [10_000, 2_000],
  [25_001, 2_000],
  [23_000, 7_000],
])('%i rows in batches of %i are read back by DuckDB', async (count, batch) => {
  const rows = makeRows(count)
  const bytes = await writeBatches(rows, batch)
  const found = await readWithDuckdb(bytes)
  expect(Object.values(found.types)).toEqual([
    'VARCHAR',
    'VARCHAR',
    'TIMESTAMP WITH TIME ZONE',
    'DECIMAL(18,6)',
  ])
  expect(found.rows.map((row) => Object.values(row).map(duckdbText))).toEqual(
    rows.map(({ id, side, time, price }) => [id, side, `${time}000000`, toDecimalText(price)]),
  )
})

test('texts that repeat are a dictionary, and pages are compressed', async () => {
  const { row_groups: groups } = parquetMetadataOf(await writeBatches(makeRows(10_000), 2_000))
  const columns = groups[0]?.columns.map(({ meta_data: data }) => [
    data?.path_in_schema.join(),
    data?.encodings.includes('RLE_DICTIONARY'),
    data?.codec,
  ])
  expect(columns).toEqual([
    ['id', false, 'SNAPPY'],
    ['side', true, 'SNAPPY'],
    ['time', false, 'SNAPPY'],
    ['price', false, 'SNAPPY'],
  ])
})
