import assert from 'node:assert/strict'

type Value = string | number | boolean

/** A list repeats its key; `undefined` is left out. */
export type Query = Readonly<Record<string, Value | readonly Value[] | undefined>>

/** `?a=1&b=2&b=3`, or nothing for an empty query. Throws on an empty list: it would ask for everything. */
export function toQueryString(query: Query): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue
    const values = typeof value === 'object' ? value : [value]
    assert(values.length > 0, `${key} is a list of nothing`)
    for (const item of values) params.append(key, String(item))
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** The target with a further query, given as `?a=1` or nothing. */
export function addQuery(target: string, query: string): string {
  return target.includes('?') ? target + query.replace('?', '&') : target + query
}

/** A list as one value with commas. Throws on an empty list, like `toQueryString`. */
export function toCommaList(values: readonly string[] | undefined): string | undefined {
  assert(values?.length !== 0, 'a list of nothing asks for everything')
  return values?.join(',')
}
