import type { Key, ReactNode } from 'react'

export type Column<Row> = {
  title: string
  cell: (row: Row) => ReactNode
  /** Numbers stand under each other, at the right. */
  isNumber?: boolean
  /** Text that wraps. */
  isText?: boolean
}

type TableProps<Row> = {
  /** What the rows are, for readers who do not see the title above. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => Key
  /** Rows that came after the table was first shown. */
  isNew?: (row: Row) => boolean
}

export function Table<Row>({ label, columns, rows, keyOf, isNew }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled by keys
    <section className="table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" className={isNumber === true ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={isNew?.(row) === true ? 'new' : undefined}>
              {columns.map(({ title, cell, isNumber, isText }) => (
                <td
                  key={title}
                  className={isNumber === true ? 'number' : isText === true ? 'text' : undefined}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
