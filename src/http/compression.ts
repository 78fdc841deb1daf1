import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { onSendAsyncHookHandler } from 'fastify'

export type Encoding = 'br' | 'gzip' | 'identity'
export type Compressed = Exclude<Encoding, 'identity'>

/** Answers below this size gain nothing from compression. */
export const COMPRESS_BYTES_MIN = 1_024

// Half of the highest quality: most of the gain at a small part of the time.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const brotliBytes = promisify<Buffer | string, typeof BROTLI, Buffer>(brotliCompress)
const gzipBytes = promisify<Buffer | string, Buffer>(gzip)

/** Compresses off the event loop. */
export const compressBytes: Record<Compressed, (body: Buffer | string) => Promise<Buffer>> = {
  br: (body) => brotliBytes(body, BROTLI),
  gzip: gzipBytes,
}

const compressStream = { br: () => createBrotliCompress(BROTLI), gzip: () => createGzip() }

/** The best encoding that the client takes. */
export function chooseEncoding(accept: string | undefined): Encoding {
  if (accept === undefined || accept === '') return 'identity'
  return (negotiate(accept, ['br', 'gzip', 'identity']) as Encoding | null) ?? 'identity'
}

/** Compresses large answers of routes that keep no compressed copy. */
export const compressAnswer: onSendAsyncHookHandler = async (request, reply, payload) => {
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
  const isStream = payload instanceof Readable
  if (!isStream && (!isWhole || payload.length < COMPRESS_BYTES_MIN)) return payload
  if (reply.hasHeader('content-encoding')) return payload

  const vary = reply.getHeader('vary')
  reply.header('vary', vary === undefined ? 'accept-encoding' : `${vary}, accept-encoding`)
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  if (encoding === 'identity') return payload
  reply.header('content-encoding', encoding)
  reply.removeHeader('content-length')
  if (!isStream) return await compressBytes[encoding](payload)
  // Not `pipe`: it would leave an error of the payload unhandled and an unread payload open. With
  // `pipeline` the error ends the compressed stream, which Fastify sends and watches.
  const compressed = compressStream[encoding]()
  pipeline(payload, compressed, () => undefined)
  return compressed
}
