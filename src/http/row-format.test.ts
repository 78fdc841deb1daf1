import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCsv } from '../../test/read-rows.js'
import { toCsvLine } from './row-format.js'

/** The cells of a line as a reader of CSV sees them. */
function cellsOf(values: readonly unknown[]): string[] {
  const columns = values.map((_, index) => `c${index}`)
  const row = Object.fromEntries(values.map((value, index) => [`c${index}`, value]))
  return parseCsv(toCsvLine(columns, row))[0] ?? []
}

test.each([
  ['=HYPERLINK("http://example.org","x")', `'=HYPERLINK("http://example.org","x")`],
  ['+1', "'+1"],
  ['-1+1', "'-1+1"],
  ['-', "'-"],
  ['@name', "'@name"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  ['\n=1', "'\n=1"],
  ['＝1', "'＝1"],
  ["'=1", "'=1"],
  ['a=1', 'a=1'],
  ['-12.5', '-12.5'],
  ['-1e-7', '-1e-7'],
  [-12.5, '-12.5'],
  [-1e-7, '-1e-7'],
  [['=1'], '["=1"]'],
  [null, ''],
])('the value %j is the cell %j', (value, cell) => {
  expect(cellsOf(['before', value, 'after'])).toEqual(['before', cell, 'after'])
})

test('no cell begins as a formula does, numbers stay as they are, and no text is lost', () => {
  const start = fc.constantFrom(...'=+-@\t\r\n"\',;', '')
  const text = fc.tuple(start, start, fc.string()).map((parts) => parts.join(''))
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt())
  const values = fc.array(fc.oneof(text, number, number.map(String)), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(values, (row) => {
      const cells = cellsOf(row)
      expect(cells.length).toBe(row.length)
      for (const [index, cell] of cells.entries()) {
        const whole = String(row[index])
        // What `Number` takes is a number to a spreadsheet too; blanks are none.
        const isNumber = /^-?\d/.test(whole) && Number.isFinite(Number(whole))
        if (isNumber) expect(cell).toBe(whole)
        else expect(cell).not.toMatch(/^[=+\-@\t\r\n]/)
        expect([whole, `'${whole}`]).toContain(cell)
      }
    }),
  )
})
