import type { OrderKey } from '../core/page.js'
import type { Fragment, Sql } from './connection.js'

/** A column of an order, with the type that a value of a cursor is cast to. */
export type OrderColumn = {
  column: string
  type: 'integer' | 'bigint' | 'numeric' | 'text' | 'timestamptz' | 'bytea'
}

/** `order by` of all columns in one direction, which an index on them serves forwards or backwards. */
export const orderedBy = (sql: Sql, order: readonly OrderColumn[], isAscending: boolean): Fragment => {
  const direction = isAscending ? 'asc' : 'desc'
  return sql.unsafe(
    `order by ${order.map(({ column }) => `${column} ${direction}`).join(', ')}`,
  ) as unknown as Fragment
}

/**
 * The condition that a row comes after this key in that order; `true` without a key. Columns must
 * not be null. The names of columns are constants of the code, never input.
 */
export function isAfterKey(
  sql: Sql,
  order: readonly OrderColumn[],
  after: OrderKey | undefined,
  isAscending: boolean,
): Fragment {
  if (after === undefined) return sql`true`
  const columns = sql.unsafe(order.map(({ column }) => column).join(', '))
  const values = order
    .map(({ type }, index) => sql`${`${after[index]}`}::text::${sql.unsafe(type)}`)
    .reduce((all, value) => sql`${all}, ${value}`)
  return sql`(${columns}) ${isAscending ? sql`>` : sql`<`} (${values})`
}

/**
 * The rows of a page, of which PostgreSQL knows that they are few. A plan that is used again does not
 * know the limit: it assumes a tenth of all rows, and reads whole tables to join them.
 */
export const boundedPage = (sql: Sql, page: Fragment): Fragment =>
  sql`select * from (${page}) bounded limit 1001`
