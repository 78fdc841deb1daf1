import type { FastifyInstance, onSendHookHandler } from 'fastify'

/** From when on an operation should not be used, when it ends at the earliest (both `2027-01-31`), and what replaces it. */
export type Deprecation = { since: string; sunset: string; successor: string }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** By the rules of "Deprecation" in docs/api.md. */
    deprecation?: Deprecation | undefined
  }
}

/** Has every answer of a deprecated operation say so, and the document too: RFC 9745 and RFC 8594. */
export function announceDeprecations(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { deprecation } = route.config ?? {}
    if (deprecation === undefined) return
    const { since, sunset, successor } = deprecation
    const headers = {
      deprecation: `@${Date.parse(since) / 1_000}`,
      sunset: new Date(sunset).toUTCString(),
      link: `</docs/guides/api#deprecation>; rel="deprecation", <${successor}>; rel="successor-version"`,
    }
    const announce: onSendHookHandler = (_request, reply, payload, done) => {
      reply.headers(headers)
      done(null, payload)
    }
    route.schema = { ...route.schema, deprecated: true }
    route.onSend = [announce, route.onSend ?? []].flat()
  })
}
