import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'

const deflate = promisify<string | Uint8Array, { level: number }, Buffer>(deflateRaw)
const inflate = promisify<Uint8Array, Buffer>(inflateRaw)

/** On another thread. `level`: one of the constants of zlib. */
export const deflateText = (text: string | Uint8Array, level: number): Promise<Buffer> =>
  deflate(text, { level })

/** On another thread. */
export const inflateText = async (bytes: Uint8Array): Promise<string> => (await inflate(bytes)).toString()
