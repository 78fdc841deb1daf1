// Fast: the answer goes out as bytes, past the framework's serializer (`npm run bench ticks`, see
// rendered-blocks.ts). Plain twin: `JSON.parse` of the whole answer in stream-ticks.test.ts.

import { Readable } from 'node:stream'
import type { Slice } from './read-slices.js'

/** The fields that are known before the ticks: their number and whether there are more follows them. */
type Envelope = object & { limit: number }

/** Bytes that are buffered for a slow reader, beside the buffers of the operating system. */
const WAITING_BYTES_MAX = 256 * 1024

/** An answer of fewer slices is sent whole. */
const SLICES_AT_ONCE = 4

/**
 * The answer: whole if it is small, else as a stream that is never whole in memory. The first slices
 * are read before anything is sent: a database that does not answer is then an error and not half an
 * answer.
 */
export async function streamTicks(
  envelope: Envelope,
  slices: AsyncGenerator<Slice>,
): Promise<Buffer | Readable> {
  const first: Slice[] = []
  while (first.length < SLICES_AT_ONCE) {
    const next = await slices.next()
    if (next.done === true) return Buffer.concat(await collect(write(envelope, first)))
    first.push(next.value)
  }
  const chunks = write(envelope, join(first, slices))
  return Readable.from(chunks, { objectMode: false, highWaterMark: WAITING_BYTES_MAX })
}

async function* write(
  envelope: Envelope,
  slices: AsyncIterable<Slice> | Iterable<Slice>,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify(envelope).slice(0, -1)},"ticks":[`)
  let count = 0
  for await (const slice of slices) {
    // Every tick has a comma before it, which the first one needs not.
    yield count === 0 ? slice.bytes.subarray(1) : slice.bytes
    count += slice.count
  }
  yield Buffer.from(`],"count":${count},"truncated":${count >= envelope.limit}}`)
}

async function* join(first: Iterable<Slice>, rest: AsyncIterable<Slice>): AsyncGenerator<Slice> {
  yield* first
  yield* rest
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return all
}
