import type { Universe } from '../universe/universe.js'
import type { TagRelations } from './tag-relations.js'

/** What every answer is made from. */
export type Gamma = { universe: Universe; relations: TagRelations }
