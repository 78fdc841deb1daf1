/** A file, or a folder (`size` 0 and a name that ends with `/`), of a tar archive. */
export type TarEntry = { name: string; size: number; body: AsyncIterable<Buffer> }

const BLOCK = 512
const NAME_BYTES_MAX = 100
/** Eleven octal digits. */
const SIZE_MAX = 8 ** 11 - 1

/** The archive in the format that every `tar` reads (ustar). Throws when a body is not as long as its entry says. */
export async function* writeTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Buffer> {
  for await (const { name, size, body } of entries) {
    yield toHeader(name, size)
    let written = 0
    for await (const chunk of body) {
      written += chunk.length
      yield chunk
    }
    if (written !== size) throw new Error(`${name} has ${written} bytes, not ${size}`)
    yield Buffer.alloc(paddingOf(size))
  }
  yield Buffer.alloc(2 * BLOCK)
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

function toHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) throw new Error(`${name}: the name is too long`)
  if (size > SIZE_MAX) throw new Error(`${name}: the file is too large`)
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number) =>
    header.write(value.toString(8).padStart(length - 1, '0'), at)
  const isFolder = name.endsWith('/')
  header.write(name, 0)
  octal(isFolder ? 0o700 : 0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(0, 136, 12)
  header.write(isFolder ? '5' : '0', 156)
  header.write('ustar\x0000', 257)
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** The sum of all bytes of the header; the field of the sum itself counts as eight spaces. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 0x20
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte
  return sum
}

/**
 * The entries of an archive that `writeTar` made, one after the other: the caller reads each body to its end before
 * it asks for the next entry. Throws when the archive is cut short, or is none.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(source)
  while (true) {
    const header = await bytes.take(BLOCK)
    if (header.every((byte) => byte === 0)) return
    const { name, size } = parseHeader(header)
    yield { name, size, body: bytes.takeChunks(size) }
    await bytes.take(paddingOf(size))
  }
}

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (from: number, to: number) => header.toString('utf8', from, to).replace(/\0.*$/s, '')
  const isTar = text(257, 263) === 'ustar'
  if (!isTar || Number.parseInt(text(148, 156), 8) !== checksumOf(header)) {
    throw new Error('the archive is damaged')
  }
  return { name: text(0, NAME_BYTES_MAX), size: Number.parseInt(text(124, 136), 8) }
}

/** Takes a stream apart into pieces of known lengths. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async take(length: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of this.takeChunks(length)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  async *takeChunks(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) await this.#read()
      const chunk = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(chunk.length)
      left -= chunk.length
      yield chunk
    }
  }

  async #read(): Promise<void> {
    const { value, done } = await this.#source.next()
    if (done === true) throw new Error('the archive is cut short')
    this.#rest = value
  }
}
