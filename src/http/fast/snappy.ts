/**
 * Snappy for pages of Parquet. The compressor that comes with the writer looks for repeats of four bytes, of which
 * hexadecimal text has many and gains little: it took half of the time of a file (`npm run bench trades-all`).
 * This one looks for eight bytes, and passes quickly over what does not repeat.
 */

const HASH_BITS = 14
const MATCH_BYTES_MIN = 8
/** What a copy of two bytes can reach back. */
const OFFSET_MAX = 65_535
const COPY_BYTES_MAX = 64
/** After this many misses the steps grow by a byte. */
const MISSES_PER_STEP_BITS = 4

export function compressSnappy(input: Uint8Array): Uint8Array {
  const { length } = input
  // A literal of n bytes takes up to five more, and a copy is never longer than what it stands for.
  const output = new Uint8Array(16 + length + Math.ceil(length / MATCH_BYTES_MIN))
  const positions = new Int32Array(1 << HASH_BITS).fill(-1 - OFFSET_MAX)
  let written = writeVarint(output, length)
  let literalStart = 0

  for (let at = 0, misses = 0; at + MATCH_BYTES_MIN <= length; ) {
    const low = wordAt(input, at)
    const high = wordAt(input, at + 4)
    const hash = (Math.imul(low, 0x1e35a7bd) ^ Math.imul(high, 0x9e3779b1)) >>> (32 - HASH_BITS)
    const candidate = positions[hash] ?? 0
    positions[hash] = at
    const isMatch =
      at - candidate <= OFFSET_MAX &&
      wordAt(input, candidate) === low &&
      wordAt(input, candidate + 4) === high
    if (!isMatch) {
      at += 1 + (misses++ >> MISSES_PER_STEP_BITS)
      continue
    }
    let end = at + MATCH_BYTES_MIN
    while (end < length && input[end] === input[end - at + candidate]) end++
    written = writeLiteral(output, written, input, literalStart, at)
    written = writeCopies(output, written, at - candidate, end - at)
    literalStart = end
    at = end
    misses = 0
  }
  written = writeLiteral(output, written, input, literalStart, length)
  return output.subarray(0, written)
}

const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) |
  ((bytes[at + 1] as number) << 8) |
  ((bytes[at + 2] as number) << 16) |
  ((bytes[at + 3] as number) << 24)

function writeVarint(output: Uint8Array, value: number): number {
  let at = 0
  let rest = value
  for (; rest > 127; rest >>>= 7) output[at++] = (rest & 127) | 128
  output[at++] = rest
  return at
}

/** Its tag has the length less one, or how many bytes of length follow. */
function writeLiteral(
  output: Uint8Array,
  start: number,
  input: Uint8Array,
  from: number,
  to: number,
): number {
  if (from === to) return start
  let at = start
  const last = to - from - 1
  if (last < 60) {
    output[at++] = last << 2
  } else {
    const tagAt = at++
    let rest = last
    for (; rest > 0; rest >>>= 8) output[at++] = rest & 255
    output[tagAt] = (58 + at - tagAt) << 2
  }
  output.set(input.subarray(from, to), at)
  return at + to - from
}

function writeCopies(output: Uint8Array, start: number, offset: number, bytes: number): number {
  let at = start
  for (let left = bytes; left > 0; left -= COPY_BYTES_MAX) {
    output[at++] = ((Math.min(left, COPY_BYTES_MAX) - 1) << 2) | 2
    output[at++] = offset & 255
    output[at++] = offset >>> 8
  }
  return at
}
