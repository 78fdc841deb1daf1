import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'

/** The first byte of what is stored. */
const CODECS = { plain: 0, brotli: 1 } as const
/** Levels up to 9 take twice as long for one percent. */
const QUALITY = 5
/** A block is some tens of kilobytes. */
const WINDOW_BITS = 20

const compressBrotli = promisify(brotliCompress)
const decompressBrotli = promisify(brotliDecompress)

/** Not compressed, because packing replaces the strip soon. */
export const wrapStrip = (strip: Buffer): Buffer => Buffer.concat([Buffer.of(CODECS.plain), strip])

/** Compressed on another thread. */
export async function compressStrip(strip: Buffer): Promise<Buffer> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: strip.length,
  }
  return Buffer.concat([Buffer.of(CODECS.brotli), await compressBrotli(strip, { params })])
}

/** Throws when this version cannot read it. */
export async function unwrapStrip(stored: Buffer): Promise<Buffer> {
  const [codec] = stored
  const rest = stored.subarray(1)
  if (codec === CODECS.plain) return rest
  if (codec === CODECS.brotli) return decompressBrotli(rest)
  throw new Error(`recorded books are compressed by method ${codec}, which a later release may read`)
}
