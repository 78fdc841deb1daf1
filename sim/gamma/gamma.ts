import type { Market, MarketEvent } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Row } from './paging.js'
import type { TagRelations } from './tag-relations.js'

/** What every answer is made from. */
export type Gamma = {
  universe: Universe
  relations: TagRelations
  events: RowMemory<MarketEvent>
  markets: RowMemory<Market>
}

/** Which part of a list is asked for does not change the list. */
const PAGE_PARAMETERS = ['limit', 'offset', 'after_cursor']

/**
 * The lists that were asked for since the last block. Their pages are asked for one after the other,
 * and every page would put the whole list in order again; the real host remembers them as well.
 */
export class RowMemory<Item> {
  readonly #lists = new Map<string, Row<Item>[]>()
  #block = Number.NaN

  of(query: URLSearchParams, block: number, compute: () => Row<Item>[]): readonly Row<Item>[] {
    if (block !== this.#block) this.#lists.clear()
    this.#block = block
    const listQuery = new URLSearchParams(query)
    for (const name of PAGE_PARAMETERS) listQuery.delete(name)
    const key = listQuery.toString()
    const rows = this.#lists.get(key) ?? compute()
    this.#lists.set(key, rows)
    return rows
  }
}
