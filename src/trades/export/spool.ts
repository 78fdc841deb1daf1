import { randomUUID } from 'node:crypto'
import { close, openSync, read, unlinkSync, write } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const READ_BYTES = 64 * 1024

const readBytes = promisify(read)
const writeBytes = promisify(write)
const closeFile = promisify(close)

/**
 * A file that is read while it is written, in the folder for temporary files. It has no name: when the
 * process ends, however it ends, the file is gone.
 *
 *   growing  readers wait at its end for more.
 *   ended    readers end.
 *   failed   readers throw what went wrong.
 *
 * Its maker holds it, and so does every reader; it is closed when all have released it.
 */
export class Spool {
  readonly #file: number
  #bytes = 0
  #end: 'ended' | { error: unknown } | undefined
  #holders = 1
  #waiting: (() => void)[] = []

  constructor() {
    const path = join(tmpdir(), `auspex-export-${randomUUID()}`)
    this.#file = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
  }

  get bytes(): number {
    return this.#bytes
  }

  hold(): void {
    // Its number may be that of another file by now.
    if (this.#holders === 0) throw new Error('the file is closed')
    this.#holders++
  }

  release(): void {
    this.#holders--
    if (this.#holders === 0) void closeFile(this.#file)
  }

  async append(chunk: Uint8Array): Promise<void> {
    for (let written = 0; written < chunk.length; ) {
      const rest = chunk.subarray(written)
      const { bytesWritten } = await writeBytes(this.#file, rest, 0, rest.length, this.#bytes)
      written += bytesWritten
      this.#bytes += bytesWritten
    }
    this.#wake()
  }

  end(): void {
    this.#end ??= 'ended'
    this.#wake()
  }

  fail(error: unknown): void {
    this.#end ??= { error }
    this.#wake()
  }

  /** From the beginning. To be begun by a holder. */
  async *read(): AsyncGenerator<Buffer> {
    this.hold()
    try {
      for (let position = 0; ; ) {
        if (position < this.#bytes) {
          const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, this.#bytes - position))
          const { bytesRead } = await readBytes(this.#file, chunk, 0, chunk.length, position)
          position += bytesRead
          yield chunk.subarray(0, bytesRead)
        } else if (this.#end === undefined) {
          await new Promise<void>((resolve) => this.#waiting.push(resolve))
        } else if (this.#end === 'ended') {
          return
        } else {
          throw this.#end.error
        }
      }
    } finally {
      this.release()
    }
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
