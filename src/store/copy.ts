import type { Writable } from 'node:stream'
import type { Sql } from './connection.js'

/** Large enough that the system calls do not count, small enough for the young generation. */
export const COPY_CHUNK_CHARS = 65_536

/**
 * Appends rows in the text format of COPY: each piece of `lines` is one line or more with their ends,
 * in which a character stands for a byte (`copyText` makes that of any text). One at a time on a
 * connection, like every COPY.
 */
export async function copyLines(
  tx: Sql,
  table: string,
  columns: readonly string[],
  lines: Iterable<string>,
): Promise<void> {
  await copyChunks(tx, `copy ${table} (${columns.join(', ')}) from stdin`, inTexts(lines))
}

/** Lines put together to pieces of a size that is worth sending. */
function* inTexts(lines: Iterable<string>): Generator<string> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < COPY_CHUNK_CHARS) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** Sends what follows a COPY statement, each chunk as it is. */
export async function copyChunks(
  tx: Sql,
  statement: string,
  chunks: Iterable<string | Uint8Array>,
): Promise<void> {
  const query = tx.unsafe(statement)
  const failed = failureOf(query)
  const stream = await query.writable()
  // An error of the stream rejects `failed` or a callback of a write.
  stream.on('error', () => undefined)
  await Promise.race([writeAll(stream, chunks), failed])
}

/** Bytes given as hex text. */
export const copyBytes = (hex: string): string => `\\\\x${hex.slice(2)}`

export const copyBytesOrNull = (hex: string | undefined): string =>
  hex === undefined ? NULL : copyBytes(hex)

/** Text that is not ours: it may hold anything, but PostgreSQL stores no zero characters. */
export function copyText(text: string): string {
  if (PLAIN.test(text)) return text
  const escaped = text.replaceAll('\0', '\ufffd').replace(/[\\\n\r\t]/g, (char) => ESCAPES[char] ?? '')
  return Buffer.from(escaped, 'utf8').toString('latin1')
}

export const NULL = '\\N'

const PLAIN = /^[ -[\]-~]*$/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * postgres.js counts a COPY as answered when its stream opens. When the server then refuses the rows
 * after the last byte, neither the stream nor the query reports it; only the query's `reject` is called.
 */
function failureOf(query: object): Promise<never> {
  const hooks = query as { reject(error: unknown): void }
  const { reject } = hooks
  const failed = new Promise<never>((_, fail) => {
    hooks.reject = (error) => {
      reject(error)
      fail(error)
    }
  })
  failed.catch(() => undefined)
  return failed
}

async function writeAll(stream: Writable, chunks: Iterable<string | Uint8Array>): Promise<void> {
  try {
    for (const chunk of chunks) await write(stream, chunk)
  } catch (error) {
    stream.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  }
  await end(stream)
}

const write = (stream: Writable, chunk: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(chunk, 'latin1', (error) => (error ? reject(error) : resolve()))
  })

const end = (stream: Writable): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.once('error', reject)
    stream.end(resolve)
  })
