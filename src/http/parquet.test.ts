import fc from 'fast-check'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { duckdbText, parquetColumns, readParquet, readWithDuckdb } from '../../test/read-rows.js'
import { toDecimal, toDecimalText } from '../core/money.js'
import { toIsoTime, toMicrosecondText, toTimestampText } from '../core/unix-time.js'
import { nullable } from '../lib/nullable.js'
import { type ParquetColumn, parquetColumnsOf, writeParquet } from './parquet.js'
import {
  Day,
  Decimal,
  DecimalText,
  IntegerText,
  MillisecondsText,
  SecondsText,
  UnixTime,
  UtcText,
} from './row-fields.js'

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

const writeWhole = (columns: readonly ParquetColumn[], rows: readonly object[]) =>
  writeParquet(columns, rows, () => undefined)

const toRead = (row: Record<string, unknown>) => ({
  ...row,
  tags: row.tags === null ? null : JSON.stringify(row.tags),
  legs: JSON.stringify(row.legs),
  value: String(row.value),
})

describe('columns of a Parquet file', () => {
  test('have the types of the schema, and text where there is none', () => {
    expect(parquetColumnsOf([Row]).map((column) => Object.values(column))).toEqual([
      ['id', 'text', false],
      ['rank', 'integer', false],
      ['price', 'number', false],
      ['is_open', 'boolean', false],
      ['side', 'integer', true],
      ['source', 'text', false],
      ['exact', 'text', true],
      ['tags', 'text', true],
      ['legs', 'text', false],
      ['value', 'text', false],
    ])
  })

  test('of two kinds of rows take both, and may be null where one kind lacks them', () => {
    const columns = parquetColumnsOf([Row, Other])
    const find = (name: string) => columns.find((column) => column.name === name)
    expect(find('id')).toMatchObject({ type: 'text', isNullable: false })
    expect(find('rank')).toMatchObject({ type: 'number', isNullable: false })
    expect(find('price')).toMatchObject({ type: 'number', isNullable: true })
    expect(find('extra')).toMatchObject({ type: 'boolean', isNullable: true })
  })
})

describe('a Parquet file', () => {
  test('has the rows that were written', async () => {
    const columns = parquetColumnsOf([Row])
    await fc.assert(
      fc.asyncProperty(fc.array(RowOfTest, { maxLength: 40 }), async (rows) => {
        expect(await readParquet(await writeWhole(columns, rows))).toEqual(rows.map(toRead))
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
    expect(await readParquet(await writeWhole(parquetColumnsOf([Bare]), rows))).toEqual(rows)
  })

  test('converts and encodes one column at a time, when it may', async () => {
    const names = ['first', 'second', 'third']
    let begun = 0
    const convertedAt: number[] = []
    const row = Object.defineProperties(
      {},
      Object.fromEntries(names.map((name) => [name, { get: () => convertedAt.push(begun) && name }])),
    )
    const columns = names.map((name): ParquetColumn => ({ name, type: 'text', isNullable: false }))
    const file = await writeParquet(columns, [row], () => {
      begun++
    })
    expect(convertedAt).toEqual([1, 2, 3])
    expect(begun).toBe(6)
    expect(await readParquet(file)).toEqual([{ first: 'first', second: 'second', third: 'third' }])
  })

  test('without rows has columns', async () => {
    const file = await writeWhole(parquetColumnsOf([Row]), [])
    expect(await readParquet(file)).toEqual([])
    expect(
      parquetColumns(file)
        .slice(1)
        .map(({ name }) => name),
    ).toEqual(Object.keys(Row.properties))
  })

  test.each([0, 1, 1_000])('has %i rows and the types of the schema in DuckDB', async (count) => {
    const rows = fc.sample(RowOfTest, { numRuns: count, seed: 7 })
    const found = await readWithDuckdb(await writeWhole(parquetColumnsOf([Row]), rows))
    expect(Object.values(found.types)).toEqual([
      'VARCHAR',
      'BIGINT',
      'DOUBLE',
      'BOOLEAN',
      'BIGINT',
      'VARCHAR',
      'VARCHAR',
      'VARCHAR',
      'VARCHAR',
      'VARCHAR',
    ])
    const expected = rows.map((row) => ({
      ...toRead(row),
      rank: BigInt(row.rank),
      side: row.side === null ? null : BigInt(row.side),
    }))
    expect(found.rows).toEqual(expected)
  })
})

describe('money and times', () => {
  const Typed = Type.Object({
    usd: Decimal(),
    text: nullable(DecimalText()),
    exact: Decimal(),
    raw: IntegerText(),
    seconds: UnixTime(),
    seconds_text: SecondsText(),
    ms: MillisecondsText(),
    iso: UtcText(),
    platform: UtcText(),
    stored: UtcText(),
    day: Day(),
  })
  const columns = parquetColumnsOf([Typed])
  const Millionths = fc.bigInt({ min: -8_589_000_000_000_000n, max: 8_589_000_000_000_000n })
  const TimeSec = fc.integer({ min: 0, max: 4_000_000_000 })

  test('are exact', async () => {
    const drawn = fc.sample(fc.tuple(Millionths, TimeSec, fc.nat(999)), { numRuns: 2_000, seed: 3 })
    const rows = drawn.map(([millionths, sec, ms]) => ({
      usd: toDecimal(millionths),
      text: millionths % 7n === 0n ? null : toDecimalText(millionths),
      exact: millionths,
      raw: `${millionths}`,
      seconds: sec,
      seconds_text: `${sec}`,
      ms: `${sec * 1000 + ms}`,
      iso: new Date(sec * 1000 + ms).toISOString(),
      platform: toTimestampText(sec),
      stored: toMicrosecondText(sec * 1000 + ms),
      day: toIsoTime(sec).slice(0, 10),
    }))
    const found = await readWithDuckdb(await writeWhole(columns, rows))
    expect(Object.values(found.types)).toEqual([
      'DECIMAL(18,6)',
      'DECIMAL(18,6)',
      'DECIMAL(18,6)',
      'BIGINT',
      ...Array.from({ length: 6 }, () => 'TIMESTAMP WITH TIME ZONE'),
      'DATE',
    ])
    const read = found.rows.map((row) => Object.values(row).map(duckdbText))
    expect(read).toEqual(
      drawn.map(([millionths, sec, ms]) => {
        const decimal = toDecimalText(millionths)
        const [wholeSecond, moment] = [`${sec * 1_000_000}`, `${(sec * 1000 + ms) * 1000}`]
        return [
          decimal,
          millionths % 7n === 0n ? null : decimal,
          decimal,
          `${millionths}`,
          wholeSecond,
          wholeSecond,
          moment,
          moment,
          wholeSecond,
          moment,
          toIsoTime(sec).slice(0, 10),
        ]
      }),
    )
  })

  test('that the type cannot hold are null, and further decimals are rounded', async () => {
    const Row = Type.Object({ usd: nullable(DecimalText()), at: nullable(UtcText()) })
    const texts = ['999999999999.999999', '1000000000000', '0.1234565', '-0.1234564', 'much']
    const rows = texts.map((usd) => ({ usd, at: 'soon' }))
    const found = await readWithDuckdb(await writeWhole(parquetColumnsOf([Row]), rows))
    const usd = ['999999999999.999999', null, '0.123457', '-0.123456', null]
    expect(found.rows.map((row) => duckdbText(row.usd))).toEqual(usd)
    expect(found.rows.map((row) => row.at)).toEqual(texts.map(() => null))
  })

  test('of two kinds of rows share a column, whether they are numbers or texts', () => {
    const Other = Type.Object({ usd: DecimalText(), seconds: SecondsText(), day: Type.String() })
    const types = Object.fromEntries(parquetColumnsOf([Typed, Other]).map(({ name, type }) => [name, type]))
    expect(types).toMatchObject({ usd: 'decimal', seconds: 'seconds', day: 'text' })
  })
})
