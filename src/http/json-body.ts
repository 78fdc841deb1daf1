import type { FastifyInstance } from 'fastify'
import { badRequest } from '../core/errors.js'

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Reads JSON bodies. An empty body is no body; bytes that are not UTF-8 are refused, not replaced. */
export function acceptJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      if (bytes.length === 0) return done(null, undefined)
      let text: string
      try {
        text = decoder.decode(bytes)
      } catch {
        return done(badRequest('The body is not valid UTF-8.'))
      }
      return parse(request, text, (error, body) =>
        error ? done(badRequest('The body is not valid JSON.')) : done(null, body),
      )
    },
  )
}
