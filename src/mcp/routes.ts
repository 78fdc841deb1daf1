import type { AddressInfo } from 'node:net'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { type KeyedAccess, STANDARD } from '../accounts/access.js'
import { HOW_TO_SEND } from '../accounts/admission.js'
import type { Config } from '../config/config.js'
import { ApiError, badRequest, messageOf } from '../core/errors.js'
import { type Compressor, createCompressionHook } from '../http/compression.js'
import { sendTagged, type TaggedText, tagText } from '../http/etag.js'
import { findSecret } from '../http/guard.js'
import { isOwnOrigin } from '../http/own-host.js'
import type { Platform } from '../platform.js'
import type { CallerApi } from './call-tool.js'
import { readDocs, writeLlmsFull, writeLlmsIndex } from './docs.js'
import type { AnswerMessage } from './server.js'
import { ToolError } from './tool.js'
import { watchEvents } from './watch-events.js'

/** A message is a request like any other, and what its tool asks are further ones. */
const ACCESS: KeyedAccess = { ...STANDARD, isRead: true }

/** Arguments are short; the lists of filters are the longest. */
const BODY_BYTES_MAX = 64 * 1024

/** The Model Context Protocol over streamable HTTP, without sessions: a client leaves no state behind. */
export const mcpRoutes =
  ({ config, floodLog }: Platform): FastifyPluginAsync =>
  async (app) => {
    // Before the key is checked, as the protocol requires: the host name of a page elsewhere may resolve to this
    // machine (DNS rebinding).
    app.addHook('onRequest', (request, _reply, done) => {
      const { origin } = request.headers
      const isForeign = origin !== undefined && !isOwnOrigin(origin, request, config)
      done(isForeign ? new ApiError(403, 'Pages of other origins may not use MCP here.') : undefined)
    })
    // The SDK takes a third of a second to load and 24 MB of memory, which most services never need.
    const load = async () => (await import('./server.js')).createAnswerMessage(app.swagger(), readDocs())
    let loaded: Promise<AnswerMessage> | undefined
    app.post(
      '/mcp',
      // The requests of a tool are measured by themselves; waits are long on purpose.
      { config: { access: ACCESS, isLongPoll: true }, bodyLimit: BODY_BYTES_MAX, schema: { hide: true } },
      async (request, reply) => {
        const key = findSecret(request)
        if (key === undefined) throw new ApiError(401, `MCP needs an API key. ${HOW_TO_SEND}`)
        if (Array.isArray(request.body)) throw badRequest('Send one message at a time, not a list of them.')
        const left = new AbortController()
        reply.raw.once('close', () => left.abort())
        loaded ??= load()
        const answerMessage = await loaded
        const api = asCaller(app, request, { key, config, floodLog, signal: left.signal })
        const answer = await answerMessage(request, api, left.signal)
        if (answer === undefined) return reply.hijack()
        return reply.code(answer.status).headers(answer.headers).send(answer.text)
      },
    )
  }

type CallerParts = Pick<Platform, 'config' | 'floodLog'> & { key: string; signal: AbortSignal }

/** Requests with the key of the caller, from its address: each passes the admission of its own route. */
const asCaller = (
  app: FastifyInstance,
  request: FastifyRequest,
  { key, config, floodLog, signal }: CallerParts,
): CallerApi => ({
  get: async (url) => {
    const headers = { 'x-api-key': key, host: request.host || 'localhost' }
    const reply = await app.inject({ url, headers, remoteAddress: request.ip })
    const retryAfter = reply.headers['retry-after']
    return {
      status: reply.statusCode,
      retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
      body: reply.json(),
    }
  },
  watch: async (wanted) => {
    const url = socketsUrl(app, config)
    if (url !== undefined) return await watchEvents(wanted, { url, key, signal })
    throw new ToolError('This service has no live events here. Read what happened with list_trades.')
  },
  report: (error) => {
    const fields = () => ({ err: error, request_id: request.id })
    floodLog.write('error', 'tool failed', fields, messageOf(error))
  },
})

/** Where WebSockets are served: by this process, or else behind the public address of the service. */
function socketsUrl({ server }: FastifyInstance, { roles, publicUrl }: Config): string | undefined {
  if (!roles.includes('stream')) return publicUrl
  const { address, family, port } = server.address() as AddressInfo
  const isIPv6 = family === 'IPv6'
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `http://${isIPv6 ? `[${host}]` : host}:${port}`
}

const LLMS_MAX_AGE_SECONDS = 3_600

/** Serves the documentation as texts for models. They are made at the first use, and are the same for everybody. */
export function showLlmsTexts(app: FastifyInstance, compressor: Compressor): void {
  const options = { schema: { hide: true }, onSend: createCompressionHook(compressor) }
  const headers = {
    type: 'text/plain; charset=utf-8',
    cacheControl: `public, max-age=${LLMS_MAX_AGE_SECONDS}`,
  }
  const serve = (path: string, write: () => string) => {
    let made: TaggedText | undefined
    app.get(path, options, async (request, reply) => {
      made ??= tagText(write())
      return sendTagged(request, reply, made, headers)
    })
  }
  serve('/llms.txt', () => writeLlmsIndex(readDocs()))
  serve('/llms-full.txt', () => writeLlmsFull(readDocs()))
}
