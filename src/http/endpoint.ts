import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { TSchema } from 'typebox'
import type { KeyedAccess } from '../accounts/access.js'
import type { Caller } from '../accounts/key-ring.js'
import { isOverTime } from '../core/database-fault.js'
import { unavailable } from '../core/errors.js'
import type { Platform } from '../platform.js'
import { Cursors } from './cursor.js'
import type { Deprecation } from './deprecation.js'

/** What every endpoint says about itself, beside its parameters and its work. */
export type EndpointHead = {
  path: string
  operationId: string
  summary: string
  description: string
  tag: string
  access: KeyedAccess
  deprecation?: Deprecation | undefined
  /** The parameters that make the endpoint's queries shorter, for a caller whose query took too long. */
  narrowBy?: readonly string[]
  /** The refusals that not every endpoint can give, by status. */
  errors?: Record<number, TSchema>
}

/** An endpoint as a value, made by `defineList` or `defineAnswer`. */
export type Endpoint<Deps = unknown> = {
  path: string
  register: (app: FastifyInstance, parts: EndpointParts<Deps>) => void
}

/** `deps`: what the endpoint needs of other domains. */
export type EndpointParts<Deps = unknown> = { platform: Platform; deps: Deps; cursors: Cursors }

/** Who asks, and when. */
export type Requester = { caller: Caller; nowMs: number }

/** Endpoints that need nothing of other domains are handed nothing. */
type Handed<Deps> = unknown extends Deps ? [] : [deps: Deps]

/** The routes of some endpoints. */
export const endpointRoutes =
  <Deps>(endpoints: readonly Endpoint<Deps>[]) =>
  (platform: Platform, ...[deps]: Handed<Deps>): FastifyPluginAsync =>
  async (app) => {
    const cursors = new Cursors(platform, platform.clock)
    const parts = { platform, deps: deps as Deps, cursors }
    for (const endpoint of endpoints) endpoint.register(app, parts)
  }

/** Runs queries of an endpoint. One that the database cancelled becomes a 503 that says what to narrow. */
export async function withinTime<Result>(
  { narrowBy = [] }: Pick<EndpointHead, 'narrowBy'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isOverTime(error)) throw error
    const advice = narrowBy.length === 0 ? '' : ` Narrow the request with ${narrowBy.join(', ')}.`
    throw unavailable(`The query takes too long.${advice}`, error)
  }
}
