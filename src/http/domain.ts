import type { FastifyPluginAsync } from 'fastify'
import type { Job, StatusPart } from '../jobs/job.js'

/** What a domain brings to the service: its routes, what runs beside the requests, and what it reports. */
export type Domain = {
  routes?: readonly FastifyPluginAsync[]
  jobs?: readonly Job[]
  status?: StatusPart | undefined
}
