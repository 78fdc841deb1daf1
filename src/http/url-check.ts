import type { preValidationHookHandler } from 'fastify'
import { badRequest } from '../core/errors.js'

/**
 * Refuses what no parameter can mean: percent-encoding that is not UTF-8, and the null character,
 * which PostgreSQL cannot store. The query parser alone would pass both on in some form.
 */
export const checkUrl: preValidationHookHandler = (request, _reply, done) => {
  const { url } = request
  const queryAt = url.indexOf('?')
  if (queryAt === -1 && !url.includes('%00')) return done()

  const fault = findFault(url, queryAt)
  return fault === undefined ? done() : done(badRequest(fault))
}

function findFault(url: string, queryAt: number): string | undefined {
  const path = queryAt === -1 ? url : url.slice(0, queryAt)
  if (path.includes('%00')) return 'The path contains a null character.'
  const query = queryAt === -1 ? '' : url.slice(queryAt + 1)
  if (!query.includes('%')) return undefined
  for (const pair of query.split('&')) {
    const name = pair.split('=', 1)[0]
    if (!isDecodable(pair)) return `The query parameter '${name}' is not valid UTF-8.`
    if (pair.includes('%00')) return `The query parameter '${name}' contains a null character.`
  }
  return undefined
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
