import { createHash } from 'node:crypto'

/** A quantity as JSON-RPC writes it: no leading zeros. */
export const quantity = (value: number | bigint): string => `0x${value.toString(16)}`

/** 32 bytes that belong to another value and look like nothing else: roots, signatures, seals. */
export const derive = (from: string, label: string): string =>
  `0x${createHash('sha256').update(`${label} ${from}`).digest('hex')}`

/** A whole number from 0 up to `count` that belongs to a value. */
export const deriveBelow = (from: string, label: string, count: number): number =>
  Number.parseInt(derive(from, label).slice(2, 14), 16) % count

/** A JSON array of JSON texts. Added up, not joined: their characters are copied once, when they are sent. */
export function showList(texts: Iterable<string>): string {
  let list = ''
  for (const text of texts) list += list === '' ? text : `,${text}`
  return `[${list}]`
}
