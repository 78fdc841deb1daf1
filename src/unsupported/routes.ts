import type { FastifyPluginAsync } from 'fastify'
import { V3 } from '../accounts/access.js'
import { notSupported } from '../core/errors.js'
import { UNSUPPORTED } from './families.js'

/** Each answers 501 with the reason: a client learns that it need not try again, or look for a mistake of its own. */
export const unsupportedRoutes: FastifyPluginAsync = async (app) => {
  const config = { access: { ...V3, cost: 'small' as const } }
  for (const { detail, method, paths } of UNSUPPORTED) {
    for (const url of paths) {
      // The document lists what the service answers.
      app.route({
        method,
        url,
        config,
        schema: { hide: true },
        handler: async () => {
          throw notSupported(detail)
        },
      })
    }
  }
}
