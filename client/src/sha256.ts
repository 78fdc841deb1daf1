/**
 * SHA-256 (FIPS 180-4) at once: Web Crypto has it asynchronously alone, and a book changes many times a second.
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const length = Math.ceil((bytes.length + 9) / 64) * 64
  const padded = new Uint8Array(length)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(length - 4, bytes.length * 8)
  const hash = Uint32Array.from(INITIAL)
  const schedule = new Uint32Array(64)
  for (let offset = 0; offset < length; offset += 64) addBlock(hash, schedule, view, offset)
  const digest = new DataView(new ArrayBuffer(32))
  for (const [index, word] of hash.entries()) digest.setUint32(index * 4, word)
  return new Uint8Array(digest.buffer)
}

function addBlock(hash: Uint32Array, w: Uint32Array, view: DataView, offset: number): void {
  for (let t = 0; t < 64; t++) {
    if (t < 16) w[t] = view.getUint32(offset + t * 4)
    else {
      const [x, y] = [at(w, t - 15), at(w, t - 2)]
      const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
      const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
      w[t] = at(w, t - 16) + s0 + at(w, t - 7) + s1
    }
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = h + s1 + ((e & f) ^ (~e & g)) + at(ROUNDS, t) + at(w, t)
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) hash[index] = at(hash, index) + word
}

const at = (words: Uint32Array, index: number): number => words[index] ?? 0

const rotate = (word: number, count: number): number => (word >>> count) | (word << (32 - count))

/** The first 32 bits of the fractional parts of square and cube roots of the first primes. */
const PRIMES = Array.from({ length: 310 }, (_, index) => index + 2).filter((number) =>
  Array.from({ length: number - 2 }, (_, index) => index + 2).every((divisor) => number % divisor !== 0),
)
const fraction = (root: number): number => (root - Math.floor(root)) * 2 ** 32
const INITIAL = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(prime ** (1 / 2)))
const ROUNDS = Uint32Array.from(PRIMES.slice(0, 64), (prime) => fraction(prime ** (1 / 3)))
