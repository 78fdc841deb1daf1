import type { Market, MarketEvent } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { RowMemory } from './row-memory.js'
import type { TagRelations } from './tag-relations.js'

/** What every answer is made from. */
export type Gamma = {
  universe: Universe
  relations: TagRelations
  events: RowMemory<MarketEvent>
  markets: RowMemory<Market>
}
