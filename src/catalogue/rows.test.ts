import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { parseFineTimeMs } from '../upstreams/transport/parse-json.js'
import { toDate, toId, toInteger, toText, toTime } from './rows.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true })
})
afterAll(() => database.drop())

const anyText = fc.string({ unit: 'binary', maxLength: 40 })
const brokenText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units))

test('whatever comes, PostgreSQL takes the row', async () => {
  const row = fc.record({
    text: fc.oneof(anyText, brokenText).map(toText),
    time: fc.oneof(fc.double(), fc.date({ noInvalidDate: true }).map(Number)).map(toTime),
    number: fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger()).map(toInteger),
    day: fc.oneof(anyText, fc.stringMatching(/^\d{4}-\d\d-\d\d$/)).map(toDate),
    id: fc.oneof(anyText, fc.stringMatching(/^\d{1,12}$/)).map((text) => toId(text) ?? null),
  })
  const rows = fc.sample(row, { seed: 7, numRuns: 3_000 })
  const [count] = await database.sql`
    select count(*)::int as rows
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
           as x (text text, time timestamptz, number integer, day date, id integer)`
  expect(count).toEqual({ rows: 3_000 })
})

test('times come back from PostgreSQL to the microsecond', async () => {
  const anyTime = fc.record({
    second: fc.date({
      min: new Date('1900-01-01'),
      max: new Date('2100-01-01'),
      noInvalidDate: true,
    }),
    fraction: fc.stringMatching(/^\d{6}$/),
  })
  const written = fc
    .sample(anyTime, { seed: 7, numRuns: 2_000 })
    .map(({ second, fraction }) => `${second.toISOString().slice(0, 19)}.${fraction}Z`)
  const read = await database.sql<{ text: string }[]>`
    select to_char(time::timestamptz at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as text
      from unnest(${written.map((text) => toTime(parseFineTimeMs(text, 'at')) ?? '')}::text[])
           with ordinality as x (time, place)
     order by place`
  expect(read.map(({ text }) => text)).toEqual(written)
})
