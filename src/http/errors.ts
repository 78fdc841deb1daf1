import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ChainStatus, whyChainIsMissing } from '../core/chain-status.js'
import { isOutage } from '../core/database-fault.js'
import { ApiError, badRequest, databaseLost, isFault, messageOf } from '../core/errors.js'
import { UpstreamError } from '../core/upstream-error.js'
import type { FloodLog } from '../lib/flood-log.js'
import type { Platform } from '../platform.js'
import { markAnswer } from './request-headers.js'

const INCOMPLETE = 'The client left before its request was complete.'

type ErrorDeps = {
  chain: ChainStatus
  /** What callers know an upstream by; `undefined`: nothing. */
  titleOf: (upstream: string) => string | undefined
}

/** Turns every error of a request into an answer that the caller may read. */
export function handleErrors(
  app: FastifyInstance,
  { floodLog: log, store }: Platform,
  { chain, titleOf }: ErrorDeps,
): void {
  app.setErrorHandler((error: Error, request, reply) => {
    const refusal = toApiError(error, request, titleOf)
    // While the database is away, that is the reason, whatever else is missing.
    const known = store.problem === undefined ? explainMissing(refusal, request, chain) : refusal
    const { url: route } = request.routeOptions
    const fields = { request_id: request.id, route }
    if (known === undefined) {
      const kind = `${route} ${messageOf(error)}`
      log.write('error', 'request failed', () => ({ err: error, ...fields }), kind)
    } else if (isFault(known.status)) {
      const reason = known.message
      const cause = known.cause instanceof UpstreamError ? { cause: known.cause.message } : {}
      const shown = () => ({ reason, ...cause, ...fields })
      log.write('warn', 'request refused', shown, `${route} ${reason}`)
    }
    const body = known ?? new ApiError(500, 'Internal server error')
    return sendError(request, reply, body)
  })
}

/** An answer that cannot be given without chain data says why there is none, if that is known. */
function explainMissing(
  error: ApiError | undefined,
  { routeOptions }: FastifyRequest,
  chain: ChainStatus,
): ApiError | undefined {
  const hint = error?.status === 503 ? whyChainIsMissing(chain) : undefined
  const dependsOnChain = routeOptions.config?.dependsOnChain === true && !isOutage(error?.cause)
  if (error === undefined || hint === undefined || !dependsOnChain) return error
  const { message, fields, retryAfterSeconds, cause } = error
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return new ApiError(503, message, { ...fields, hint }, { cause, ...retry })
}

export function sendError(request: FastifyRequest, reply: FastifyReply, error: ApiError) {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  // A stream that was to be compressed may fail before its first byte.
  reply.removeHeader('content-encoding')
  reply.raw.removeHeader('content-encoding')
  return reply
    .code(error.status)
    .header('cache-control', 'no-store')
    .send({ error: error.message, ...visibleFields(request, error) })
}

// The lists of allowed values are part of /v3 bodies; /v1 and /v2 name them in the text alone.
function visibleFields(request: FastifyRequest, { fields }: ApiError) {
  if (request.url.startsWith('/v3/')) return fields
  const { allowed: _, ...rest } = fields
  return rest
}

/** `undefined`: a fault of the service, whose details are for the log alone. */
function toApiError(
  error: Error,
  { raw, url }: FastifyRequest,
  titleOf: ErrorDeps['titleOf'],
): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error === raw.errored) return badRequest(INCOMPLETE)
  if (isOutage(error)) return databaseLost(error)
  if (error instanceof UpstreamError) return upstreamLost(error, url, titleOf)
  const { code, statusCode = 500 } = error as FastifyError
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError(413, 'The body is too large.')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new ApiError(415, 'Send the body as JSON, with the header content-type: application/json.')
  }
  return statusCode >= 400 && statusCode < 500 ? new ApiError(statusCode, error.message) : undefined
}

/** What clients of /v2 look for. */
const PROVIDER_ERROR = 'temporary_data_provider_error'

/** What an upstream answered is for the log alone. */
function upstreamLost(cause: UpstreamError, url: string, titleOf: ErrorDeps['titleOf']): ApiError {
  const { upstream } = cause
  const options = { cause, retryAfterSeconds: 1 }
  if (url.startsWith('/v2/')) return new ApiError(502, PROVIDER_ERROR, { detail: upstream }, options)
  const message = `${titleOf(upstream) ?? 'An upstream'} does not give a usable answer now; try again in a moment.`
  return new ApiError(502, message, {}, options)
}

/** Answers paths that the router cannot read; no hook has run for them. */
export function answerBadPath(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  markAnswer(request, reply)
  const isLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH'
  const message = isLong ? 'A path parameter is too long.' : 'The path is not valid UTF-8.'
  return sendError(request, reply, new ApiError(isLong ? 414 : 400, message))
}

/** A request line whose method is not one of HTTP's; other bytes with this fault are no HTTP at all. */
const REQUEST_LINE = /^[!-~]+ \S+ HTTP\/1\.[01]\r?\n/

const CLIENT_FAULTS: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large.'],
  HPE_INVALID_EOF_STATE: ['400 Bad Request', INCOMPLETE],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
}
const CLOSE_MS_MAX = 1_000
const MALFORMED: [string, string] = ['400 Bad Request', 'The request is not valid HTTP.']
const UNKNOWN_METHOD: [string, string] = [
  '405 Method Not Allowed\r\nallow: GET, HEAD, POST, PUT, DELETE',
  'The HTTP method is not known.',
]

type ClientFault = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

function describeClientFault(fault: ClientFault): [status: string, message: string] {
  const { code, rawPacket = Buffer.alloc(0), bytesParsed = 0 } = fault
  // The packet may begin with other requests.
  const from = rawPacket.lastIndexOf('\n', bytesParsed) + 1
  const start = rawPacket.subarray(from, from + 1_000).toString('latin1')
  if (code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(start)) return UNKNOWN_METHOD
  return CLIENT_FAULTS[code ?? ''] ?? MALFORMED
}

/** Answers bytes that are not a valid HTTP request, after the requests before them. */
export function createClientFaultHandler(nextId: () => string, log: FloodLog) {
  const faulty = new WeakSet<Socket>()
  const answer = (error: NodeJS.ErrnoException, socket: Socket): void => {
    const current = responseOf(socket)
    if (current?.req.complete === true) {
      return void current.once('close', () => answer(error, socket))
    }
    if (!socket.writable || current?.headersSent === true) return void socket.destroy()
    const [status, message] = describeClientFault(error)
    const id = nextId()
    const fields = { request_id: id, reason: message, ip: socket.remoteAddress }
    log.write('info', 'request not understood', () => fields, message)
    const body = JSON.stringify({ error: message })
    socket.end(
      `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${body.length}\r\nx-content-type-options: nosniff\r\n` +
        `x-request-id: ${id}\r\nconnection: close\r\n\r\n${body}`,
    )
    // A client that does not close its end would keep the connection otherwise.
    socket.setTimeout(CLOSE_MS_MAX)
  }
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    // Node.js calls again for every chunk after the first fault.
    if (faulty.has(socket)) return
    faulty.add(socket)
    answer(error, socket)
  }
}

/** The response that Node.js sends on a connection now. It has no public name for it. */
const responseOf = (socket: Socket) =>
  (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
