import { parseTokenId } from '../../core/ids.js'
import { toDecimalText } from '../../core/money.js'
import { copyBytes, copyText, NULL } from '../../store/copy.js'
import type { ArchiveType } from '../parquet/column-types.js'

const MICROS = 1_000_000n

/** How values of a column of the files are written in the text format of COPY. `stored`: the type in the database. */
export function copyValueOf(type: ArchiveType, isList: boolean, stored: string): (value: unknown) => string {
  const one = copyOneOf(type, stored)
  if (!isList) return (value) => (value === null || value === undefined ? NULL : one(value))
  const isBytes = type === 'bytes' || stored === 'bytea[]'
  const item = isBytes ? (value: unknown) => `"\\\\${one(value)}"` : type === 'text' ? quoteItem : one
  return (value) =>
    value === null || value === undefined ? NULL : `{${[...(value as unknown[])].map(item).join()}}`
}

function copyOneOf(type: ArchiveType, stored: string): (value: unknown) => string {
  switch (type) {
    case 'money':
      return stored.startsWith('numeric')
        ? (value) => toPlainDecimal(readMillionths(value as Uint8Array))
        : (value) => String(readMillionths(value as Uint8Array))
    case 'time':
      return stored === 'integer'
        ? (value) => String((value as bigint) / MICROS)
        : (value) => toTimestamp(value as bigint)
    case 'day':
      return (value) => new Date(Number(value) * 86_400_000).toISOString().slice(0, 10)
    case 'bytes':
    case 'bytes20':
    case 'bytes32':
      return (value) => `\\\\x${toHexDigits(value as Uint8Array)}`
    case 'boolean':
      return (value) => (value === true ? 't' : 'f')
    case 'text':
      if (stored === 'bytea') return (value) => copyBytes(String(value))
      if (stored === 'bytea[]') return (value) => copyBytes(parseTokenId(String(value)) ?? '0x')
      return (value) => copyText(String(value))
    default:
      return String
  }
}

/** An item of an array as text: quoted for the array, and then escaped for COPY. */
const quoteItem = (value: unknown): string => copyText(`"${String(value).replace(/["\\]/g, '\\$&')}"`)

/** Decimals have sixteen bytes, the highest first. */
function readMillionths(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return (view.getBigInt64(0) << 64n) + view.getBigUint64(8)
}

/** Without zeros at its end, as Gamma writes numbers. */
const toPlainDecimal = (millionths: bigint): string => toDecimalText(millionths).replace(/\.?0+$/, '')

const toHexDigits = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('hex')

/** With the microseconds, which a Date has not. */
function toTimestamp(micros: bigint): string {
  const sec = micros / MICROS - (micros % MICROS < 0n ? 1n : 0n)
  const rest = micros - sec * MICROS
  const whole = new Date(Number(sec) * 1000).toISOString().slice(0, 19)
  return `${whole}.${rest.toString().padStart(6, '0')}Z`
}
