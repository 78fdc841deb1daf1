import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import { codeOf } from '../../core/errors.js'

const unpackers = { gzip: promisify(gunzip), br: promisify(brotliDecompress) }

/** What a request may ask for: how the body may be packed. */
export const ACCEPTED_ENCODINGS = Object.keys(unpackers).join(', ')

export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError'
}

/** The whole body as text, unpacked. Throws `BodyTooLargeError` before it keeps more than `bytesMax`. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  encoding: unknown,
  bytesMax: number,
): Promise<string> {
  const bytes = await collect(body, bytesMax)
  if (encoding !== 'gzip' && encoding !== 'br') return bytes.toString('utf8')
  try {
    return (await unpackers[encoding](bytes, { maxOutputLength: bytesMax })).toString('utf8')
  } catch (error) {
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(bytesMax) : error
  }
}

async function collect(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (bytesMax: number) =>
  new BodyTooLargeError(`the body has more than ${bytesMax} bytes`)
