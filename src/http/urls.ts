import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.js'

/** The address under which clients reach us: the configured one, else the one this client used. */
export const publicUrl = (config: Config, request: FastifyRequest): string =>
  config.publicUrl ?? `${request.protocol}://${request.host}`

export const upgradeUrl = (config: Config, request: FastifyRequest): string =>
  config.upgradeUrl ?? `${publicUrl(config, request)}/v1/plans`
