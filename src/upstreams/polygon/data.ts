import {
  addressAt,
  arrayAt,
  bytesAt,
  flatten,
  START,
  smallAt,
  targetOf,
  uintAt,
  WORD,
  wordAt,
} from './abi.js'
import { KnownWords } from './known-words.js'

/**
 * Reads the words of a log's data like `abi.ts`, but several times faster. `layOut` copies the text
 * into a buffer where four digits are one integer and eight are one double, so that words can be
 * compared, looked up and parsed without going through their characters. What cannot be read there
 * (a number of more than 64 bits, an odd offset, a character that is no digit) is left to `abi.ts`,
 * which reads it or throws. Every reader wants the text that was laid out last. The lowest byte must
 * come first, as it does on every machine that we run on.
 */
export function layOut(data: string): void {
  // One word is not worth the copy.
  isLaidOut =
    data.length > START + WORD &&
    data.length <= LENGTH_MAX &&
    buffer.write(data, FIRST - START) === data.length
}

export function dataAddress(data: string, at: number): string {
  const oct = octOf(at)
  if (!hasZeros(oct, 3)) return addressAt(data, at)
  return addresses.get(oct + 3) || addresses.learn(oct + 3, flatten(addressAt(data, at)))
}

/** A word that other logs name as well. */
export function dataId(data: string, at: number): string {
  const oct = octOf(at)
  if (oct === NOWHERE) return wordAt(data, at)
  return ids.get(oct) || ids.learn(oct, flatten(wordAt(data, at)))
}

export function dataUint(data: string, at: number): bigint {
  const oct = octOf(at)
  if (!hasZeros(oct, 6)) return uintAt(data, at)
  if (hasZeros(oct + 6, 2)) return 0n
  const quad = oct * 2 + 12
  const high = parse(quad)
  const upper = parse(quad + 1)
  const lower = parse(quad + 2)
  const low = parse(quad + 3)
  if ((high | upper | lower | low) < 0) return uintAt(data, at)
  halves[1] = (high << 16) | upper
  halves[0] = (lower << 16) | low
  return uints[0] ?? 0n
}

export function dataSmall(data: string, at: number): number {
  const oct = octOf(at)
  const value = hasZeros(oct, 7) && quads[oct * 2 + 14] === FOUR_ZEROS ? parse(oct * 2 + 15) : -1
  return value < 0 ? smallAt(data, at) : value
}

export function dataArray<T>(
  data: string,
  at: number,
  parse: (data: string, at: number) => T,
): T[] {
  return arrayAt(data, at, START, parse, dataSmall)
}

export function dataBytes(data: string, at: number): string {
  const lengthAt = targetOf(data, at, START, dataSmall)
  const length = dataSmall(data, lengthAt)
  const oct = octOf(lengthAt + WORD)
  const end = lengthAt + WORD + length * 2
  if (oct === NOWHERE || end > data.length || !areDigits(oct * 2, (length + 1) >> 1))
    return bytesAt(data, at, START)
  return `0x${data.slice(lengthAt + WORD, end)}`
}

const LENGTH_MAX = 16_384
/** The byte of the first digit. */
const FIRST = 8
const NOWHERE = 0
/** A text that is not ASCII takes up to three bytes a character: nothing is cut off, so it shows. */
const buffer = Buffer.from(new ArrayBuffer(FIRST + LENGTH_MAX * 3))
const quads = new Int32Array(buffer.buffer)
const octs = new Float64Array(buffer.buffer)
let isLaidOut = false

const addresses = new KnownWords(buffer.buffer, 5)
const ids = new KnownWords(buffer.buffer, 8)

const FOUR_ZEROS = 0x30303030
const EIGHT_ZEROS = new Float64Array(Uint8Array.from(Buffer.from('00000000')).buffer)[0]

const uints = new BigUint64Array(1)
const halves = new Uint32Array(uints.buffer)

function octOf(at: number): number {
  const byte = at - START + FIRST
  return isLaidOut && byte % 8 === 0 ? byte >> 3 : NOWHERE
}

function hasZeros(oct: number, count: number): boolean {
  if (oct === NOWHERE) return false
  for (let i = oct; i < oct + count; i++) if (octs[i] !== EIGHT_ZEROS) return false
  return true
}

function areDigits(quad: number, count: number): boolean {
  let seen = 0
  for (let i = quad; i < quad + count; i++) seen |= parse(i)
  return seen >= 0
}

/** The number whose digits are the four characters, the first in the lowest byte; below 0: not digits. */
function parse(at: number): number {
  const quad = quads[at] ?? 0
  const digits = (quad & 0x0f0f0f0f) + Math.imul((quad >>> 6) & 0x01010101, 9)
  const letters = ((digits + 0x06060606) >>> 4) & 0x01010101
  if (((digits & 0xf0f0f0f0) | ((digits + FOUR_ZEROS + Math.imul(letters, 0x27)) ^ quad)) !== 0)
    return -1
  return ((digits & 0xf) << 12) | (digits & 0xf00) | ((digits >>> 12) & 0xf0) | (digits >>> 24)
}
