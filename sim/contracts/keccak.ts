import { createKeccak } from 'hash-wasm'
import type { Word } from './words.js'

const hasher = await createKeccak(256)

/** Keccak-256 of bytes given as hex digits without 0x. */
export function keccak(hex: string): Word {
  return keccakBytes(Buffer.from(hex, 'hex'))
}

export function keccakText(text: string): Word {
  return keccakBytes(Buffer.from(text, 'utf8'))
}

function keccakBytes(bytes: Buffer): Word {
  const { buffer } = hasher.init().update(bytes).digest('binary')
  return Buffer.from(buffer).toString('hex')
}
