import { readList } from '../server/query.js'
import type { Universe } from '../universe/universe.js'
import { askedFlag } from './parameters.js'
import { invalid } from './refusal.js'

type Key = number | string

/** What a list can be ordered by, under the names that answers have. */
export type OrderFields<Item> = Record<string, (universe: Universe, item: Item) => Key>

/** An item with what it is ordered by; the id comes last and makes the order total. */
export type Row<Item> = { item: Item; keys: Key[] }

export type Order = { names: string[]; ascending: boolean }

/** Both `volume_24hr` and `volume24hr` name a field. Without `order` a list goes by id, upwards. */
export function readOrder<Item>(query: URLSearchParams, fields: OrderFields<Item>): Order {
  const names = readList(query, 'order').map(toCamelCase)
  if (!names.every((name) => Object.hasOwn(fields, name))) {
    throw invalid('order fields are not valid')
  }
  const ascending = askedFlag(query, 'ascending') ?? true
  return { names, ascending: names.length === 0 || ascending }
}

export function orderRows<Item extends { id: string }>(
  universe: Universe,
  items: readonly Item[],
  fields: OrderFields<Item>,
  { names, ascending }: Order,
): Row<Item>[] {
  const rows = items.map((item) => {
    const keys = names.map((name) => fields[name]?.(universe, item) ?? 0)
    return { item, keys: [...keys, Number(item.id)] }
  })
  const sign = ascending ? 1 : -1
  return rows.sort((a, b) => sign * compareKeys(a.keys, b.keys))
}

export function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  for (let index = 0; index < a.length; index++) {
    const left = a[index] ?? 0
    const right = b[index] ?? 0
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

const toCamelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
