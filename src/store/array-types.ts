import type { PostgresType, Sql } from 'postgres'

/**
 * The array types that our queries use, so that the driver need not ask each new connection for all
 * that there are: when a connection is lost while it asks, nobody catches the error.
 */
export const ARRAY_TYPES: Record<string, PostgresType> = {
  booleans: arrayType(1000, (text) => text === 't'),
  byteas: arrayType(1001, (text) => Buffer.from(text.slice(2), 'hex')),
  smallints: arrayType(1005, Number),
  integers: arrayType(1007, Number),
  texts: arrayType(1009, (text) => text),
  bigints: arrayType(1016, BigInt),
  floats: arrayType(1022, Number),
  dates: arrayType(1182, (text) => text),
  numerics: arrayType(1231, (text) => text),
}

/** By the type of the items. Numbers are sent as text, which the query casts. */
const ARRAY_OF = { 16: 1000, 17: 1001, 20: 1016, 25: 1009 }

/** Tells the driver which type an array has whose items have a type of their own. */
export function teachArrays<T extends Record<string, unknown>>(pool: Sql<T>): void {
  const { shared } = pool.options as unknown as { shared: { typeArrayMap: object } }
  Object.assign(shared.typeArrayMap, ARRAY_OF)
}

function arrayType(oid: number, parseItem: (text: string) => unknown): PostgresType {
  return {
    to: oid,
    from: [oid],
    // What is text already is an array as PostgreSQL writes it.
    serialize: (items: readonly unknown[] | string) =>
      typeof items === 'string' ? items : `{${items.map(serializeItem).join(',')}}`,
    parse: (text: string) =>
      splitItems(text).map((item) => (item === null ? null : parseItem(item))),
  }
}

function serializeItem(item: unknown): string {
  if (item === null || item === undefined) return 'NULL'
  if (typeof item === 'number' || typeof item === 'bigint' || typeof item === 'boolean') {
    return String(item)
  }
  const text = Buffer.isBuffer(item) ? `\\x${item.toString('hex')}` : String(item)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

const QUOTED_OR_PLAIN = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/gs

/** The items of a one-dimensional array as PostgreSQL writes it: `{1,NULL,"a \"b\""}`. */
function splitItems(text: string): (string | null)[] {
  return [...text.matchAll(QUOTED_OR_PLAIN)].map(([, quoted, plain]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return plain === 'NULL' ? null : (plain ?? '')
  })
}
