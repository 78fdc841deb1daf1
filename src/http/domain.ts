import type { FastifyPluginAsync } from 'fastify'
import type { Job, StatusPart } from '../jobs/job.js'

/** What a domain brings to the service: its routes, what runs beside the requests, and what it reports. */
export type Domain = {
  /** Answered by processes with the role `api`. */
  routes?: readonly FastifyPluginAsync[]
  /** Answered by every process: what tells how it does. */
  probes?: readonly FastifyPluginAsync[]
  jobs?: readonly Job[]
  status?: StatusPart | undefined
}
