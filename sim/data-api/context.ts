import type { Universe } from '../universe/universe.js'
import type { Standing, Win } from './boards.js'
import type { BuilderVolume } from './builders.js'
import { MinuteMemory } from './minute-memory.js'
import type { Period } from './periods.js'
import { Portfolios } from './portfolio.js'

/** What the routes share. */
export type Api = {
  universe: Universe
  /** At the present. */
  portfolios: Portfolios
  /** At the start of each period, which moves with the present. */
  past: { readonly [Name in Period]: Portfolios }
  standings: MinuteMemory<Standing[]>
  wins: MinuteMemory<Win[]>
  builders: MinuteMemory<BuilderVolume[]>
}

/** Answers from a query whose keys are in snake_case. May throw a BadRequest. */
export type Route = (api: Api, query: URLSearchParams) => unknown

export const createApi = (universe: Universe): Api => ({
  universe,
  portfolios: new Portfolios(universe),
  past: {
    DAY: new Portfolios(universe),
    WEEK: new Portfolios(universe),
    MONTH: new Portfolios(universe),
    ALL: new Portfolios(universe),
  },
  standings: new MinuteMemory(universe),
  wins: new MinuteMemory(universe),
  builders: new MinuteMemory(universe),
})
