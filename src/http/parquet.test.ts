import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parquetColumns, readParquet } from '../../test/read-rows.js'
import { nullable } from '../lib/nullable.js'
import { parquetColumnsOf, writeParquet } from './parquet.js'

const Row = Type.Object({
  id: Type.String(),
  rank: Type.Integer(),
  price: Type.Number(),
  is_open: Type.Boolean(),
  side: nullable(Type.Integer({ enum: [0, 1] })),
  source: Type.Literal('chain'),
  exact: Type.Optional(Type.String()),
  tags: nullable(Type.Array(Type.String())),
  legs: Type.Array(Type.Object({ id: Type.Integer() })),
  value: Type.Union([Type.Number(), Type.String()]),
})
const Other = Type.Object({ id: Type.String(), rank: Type.Number(), extra: Type.Boolean() })

const RowOfTest = fc.record({
  id: fc.string({ unit: 'grapheme' }),
  rank: fc.maxSafeInteger(),
  price: fc.double({ noNaN: true, noDefaultInfinity: true }),
  is_open: fc.boolean(),
  side: fc.constantFrom(0, 1, null),
  source: fc.constant('chain'),
  exact: fc.constantFrom('0.100000', '123456789012345678901234567890.5', null),
  tags: fc.oneof(fc.constant(null), fc.array(fc.string())),
  legs: fc.array(fc.record({ id: fc.integer() })),
  value: fc.oneof(fc.integer(), fc.string()),
})

const toRead = (row: Record<string, unknown>) => ({
  ...row,
  tags: row.tags === null ? null : JSON.stringify(row.tags),
  legs: JSON.stringify(row.legs),
  value: String(row.value),
})

describe('columns of a Parquet file', () => {
  test('have the types of the schema, and text where there is none', () => {
    expect(parquetColumnsOf([Row]).map((column) => Object.values(column))).toEqual([
      ['id', 'STRING', false],
      ['rank', 'INT64', false],
      ['price', 'DOUBLE', false],
      ['is_open', 'BOOLEAN', false],
      ['side', 'INT64', true],
      ['source', 'STRING', false],
      ['exact', 'STRING', true],
      ['tags', 'STRING', true],
      ['legs', 'STRING', false],
      ['value', 'STRING', false],
    ])
  })

  test('of two kinds of rows take both, and may be null where one kind lacks them', () => {
    const columns = parquetColumnsOf([Row, Other])
    const find = (name: string) => columns.find((column) => column.name === name)
    expect(find('id')).toMatchObject({ type: 'STRING', isNullable: false })
    expect(find('rank')).toMatchObject({ type: 'DOUBLE', isNullable: false })
    expect(find('price')).toMatchObject({ type: 'DOUBLE', isNullable: true })
    expect(find('extra')).toMatchObject({ type: 'BOOLEAN', isNullable: true })
  })
})

describe('a Parquet file', () => {
  test('has the rows that were written', async () => {
    const columns = parquetColumnsOf([Row])
    await fc.assert(
      fc.asyncProperty(fc.array(RowOfTest, { maxLength: 40 }), async (rows) => {
        expect(await readParquet(writeParquet(columns, rows))).toEqual(rows.map(toRead))
      }),
      { numRuns: 50 },
    )
  })

  test('lacks a value that a row lacks, whatever the schema says', async () => {
    const Bare = Type.Object({ id: Type.String(), rank: Type.Integer() })
    const rows = [
      { id: 'a', rank: 1 },
      { id: null, rank: null },
    ]
    expect(await readParquet(writeParquet(parquetColumnsOf([Bare]), rows))).toEqual(rows)
  })

  test('without rows has columns', async () => {
    const file = writeParquet(parquetColumnsOf([Row]), [])
    expect(await readParquet(file)).toEqual([])
    expect(
      parquetColumns(file)
        .slice(1)
        .map(({ name }) => name),
    ).toEqual(Object.keys(Row.properties))
  })

  describe('in DuckDB', () => {
    let folder: string
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'auspex-parquet-'))
    })
    afterAll(() => rm(folder, { recursive: true }))

    const read = async (rows: readonly object[]) => {
      const path = join(folder, `${rows.length}.parquet`)
      await writeFile(path, writeParquet(parquetColumnsOf([Row]), rows))
      const instance = await DuckDBInstance.create()
      const connection = await instance.connect()
      const reader = await connection.runAndReadAll(`select * from '${path}'`)
      const found = { types: reader.columnTypes().map(String), rows: reader.getRowObjects() }
      connection.closeSync()
      instance.closeSync()
      return found
    }

    test.each([0, 1, 1_000])('has %i rows and the types of the schema', async (count) => {
      const rows = fc.sample(RowOfTest, { numRuns: count, seed: 7 })
      const found = await read(rows)
      expect(found.types).toEqual([
        ...['VARCHAR', 'BIGINT', 'DOUBLE', 'BOOLEAN', 'BIGINT'],
        ...['VARCHAR', 'VARCHAR', 'VARCHAR', 'VARCHAR', 'VARCHAR'],
      ])
      const expected = rows.map((row) => ({
        ...toRead(row),
        rank: BigInt(row.rank),
        side: row.side === null ? null : BigInt(row.side),
      }))
      expect(found.rows).toEqual(expected)
    })
  })
})
