import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { readParquet } from '../../../test/read-rows.js'
import { parquetColumnsOf } from '../../http/parquet.js'
import { ParquetFile } from './parquet-file.js'

const Row = Type.Object({
  id: Type.String(),
  side: Type.String(),
  time: Type.Integer(),
  price: Type.Number(),
})

const makeRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `0x${index.toString(16).padStart(64, '0')}`,
    side: index % 3 === 0 ? 'BUY' : 'SELL',
    time: 1_793_000_000 + index,
    price: index / 7,
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
])('%i rows in batches of %i are read back, also by DuckDB', async (count, batch) => {
  const rows = makeRows(count)
  const bytes = await writeBatches(rows, batch)
  expect(await readParquet(bytes)).toEqual(rows)

  const folder = await mkdtemp(join(tmpdir(), 'auspex-parquet-'))
  const path = join(folder, 'rows.parquet')
  await writeFile(path, bytes)
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const reader = await connection.runAndReadAll(
    `select count(*)::integer as rows, count(distinct id)::integer as ids,
            max(time)::integer as newest, count(*) filter (side = 'BUY')::integer as bought
       from '${path}'`,
  )
  expect(reader.getRowObjects()).toEqual([
    {
      rows: count,
      ids: count,
      newest: count === 0 ? null : 1_793_000_000 + count - 1,
      bought: Math.ceil(count / 3),
    },
  ])
  connection.closeSync()
  instance.closeSync()
  await rm(folder, { recursive: true })
})
