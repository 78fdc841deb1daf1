import type { Word } from './words.js'

const LIMBS = 8
const scratch = { left: new Uint32Array(LIMBS), right: new Uint32Array(LIMBS) }

/**
 * Whether `n` is a square modulo the odd prime `p`: the Jacobi symbol, by subtracting and halving on
 * limbs of 32 bits. It runs for every token id, and bigints or a modular power take several times as
 * long.
 */
export function isSquare(n: Word, p: Word): boolean {
  let a = load(scratch.left, n)
  let m = load(scratch.right, p)
  let limbs = LIMBS
  let square = true
  for (;;) {
    while (limbs > 1 && at(a, limbs - 1) === 0 && at(m, limbs - 1) === 0) limbs -= 1
    const low = at(a, 0)
    if (low === 0) {
      if (a.every((limb) => limb === 0)) return square
      a.copyWithin(0, 1)
      a[LIMBS - 1] = 0
      continue
    }

    // 2 is a square unless m is 3 or 5 modulo 8; 32 of them above make no difference.
    const zeros = 31 - Math.clz32(low & -low)
    const m8 = at(m, 0) & 7
    if (zeros % 2 === 1 && (m8 === 3 || m8 === 5)) square = !square
    if (zeros > 0) shiftRight(a, zeros, limbs)

    // Both are odd: swapping changes the answer only if both are 3 modulo 4.
    if (isLess(a, m, limbs)) {
      ;[a, m] = [m, a]
      if ((at(a, 0) & at(m, 0) & 2) !== 0) square = !square
    }
    subtract(a, m, limbs)
  }
}

function load(limbs: Uint32Array, word: Word): Uint32Array {
  for (let i = 0; i < LIMBS; i += 1) {
    limbs[i] = Number.parseInt(word.slice(56 - 8 * i, 64 - 8 * i), 16)
  }
  return limbs
}

function shiftRight(a: Uint32Array, bits: number, limbs: number): void {
  const last = limbs - 1
  for (let i = 0; i < last; i += 1) a[i] = (at(a, i) >>> bits) | (at(a, i + 1) << (32 - bits))
  a[last] = at(a, last) >>> bits
}

function isLess(a: Uint32Array, b: Uint32Array, limbs: number): boolean {
  let i = limbs - 1
  while (i > 0 && at(a, i) === at(b, i)) i -= 1
  return at(a, i) < at(b, i)
}

function subtract(a: Uint32Array, b: Uint32Array, limbs: number): void {
  let borrow = 0
  for (let i = 0; i < limbs; i += 1) {
    const difference = at(a, i) - at(b, i) - borrow
    a[i] = difference
    borrow = difference < 0 ? 1 : 0
  }
}

function at(limbs: Uint32Array, index: number): number {
  return limbs[index] ?? 0
}
