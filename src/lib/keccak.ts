import assert from 'node:assert'
import { createKeccak } from 'hash-wasm'
import { hexToBytes } from './hex.js'

/** Keccak-256, as `0x` and 64 lower-case digits, of bytes or of the bytes that `0x…` text stands for. */
export function keccak256(data: string | Uint8Array): string {
  return `0x${hasher
    .init()
    .update(typeof data === 'string' ? toBytes(data) : data)
    .digest()}`
}

/** Shared by all calls: each is synchronous, and resets the hasher first. */
const hasher = await createKeccak(256)

function toBytes(hex: string): Buffer {
  const bytes = hexToBytes(hex)
  assert(hex.startsWith('0x') && bytes.length * 2 === hex.length - 2, 'hex text holds whole bytes')
  return bytes
}
