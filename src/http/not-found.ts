import type { FastifyInstance } from 'fastify'
import { ApiError } from '../core/errors.js'
import { sendError } from './errors.js'
import type { Observe } from './observe.js'
import { methodsOf, nearestPath, type RoutesTable } from './routes-table.js'

const PATH_ECHO_MAX = 200

/** Unknown paths get 404 with a hint, known paths with another method 405. Neither needs a key. */
export function handleNotFound(app: FastifyInstance, table: RoutesTable, observe: Observe): void {
  app.setNotFoundHandler((request, reply) => {
    reply.raw.once('finish', () => observe(request, reply))
    const [path = ''] = request.url.split('?', 1)
    const methods = methodsOf(table, path)
    if (methods.length > 0) {
      const allow = methods.join(', ')
      reply.header('allow', allow)
      const message = `${request.method} is not possible here. Allowed: ${allow}`
      return sendError(request, reply, new ApiError(405, message))
    }
    return sendError(request, reply, notFound(path, nearestPath(table, path)))
  })
}

function notFound(path: string, nearest: string | undefined): ApiError {
  const meant = nearest === undefined ? '' : `Did you mean ${nearest}? `
  const hint = `${meant}Every path is listed at /docs.`
  return path.startsWith('/v3/')
    ? new ApiError(404, 'not_found', { path: path.slice(0, PATH_ECHO_MAX), hint })
    : new ApiError(404, 'Not found.', { hint })
}
