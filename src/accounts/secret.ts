import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'

/** 192 random bits, as 48 lower-case hexadecimal characters. */
export const createSecret = (): string => `ax_live_${randomBytes(24).toString('hex')}`

// With today's prefix or the legacy one.
const SECRET = /^(?:ax|auspex)_live_[0-9a-f]{48}$/

/**
 * What is stored and looked up: the SHA-256 of the random part, so that a key works with today's
 * prefix and with the legacy one. It is too random to be guessed back, so no salt is needed.
 * `undefined`: the text as a whole is no key. There is no other way from a text to a lookup.
 */
export const digestSecret = (text: string): string | undefined =>
  SECRET.test(text) ? hash('sha256', text.slice(-48), 'base64') : undefined

/** An operator's key looks different, so that it is never taken for an account's. */
export const createOperatorSecret = (): string => `ax_operator_${randomBytes(24).toString('hex')}`

const OPERATOR_SECRET = /^ax_operator_[0-9a-f]{48}$/

/** Like `digestSecret`, of an operator's key. */
export const digestOperatorSecret = (text: string): string | undefined =>
  OPERATOR_SECRET.test(text) ? hash('sha256', text.slice(-48), 'base64') : undefined

const SESSION_DIGEST = 'session '

/** What the cookie of a session holds: 256 random bits. */
export const createSessionToken = (): string => randomBytes(32).toString('base64url')

/** Like `digestSecret`, of the cookie of a session. The digest says what it is of: no key is looked up by it. */
export const digestSession = (text: string): string | undefined =>
  /^[\w-]{43}$/.test(text) ? SESSION_DIGEST + hash('sha256', text, 'base64') : undefined

export const isSessionDigest = (digest: string): boolean => digest.startsWith(SESSION_DIGEST)

/** A code that signs in once: 128 random bits, short enough for a line of a terminal. */
export const createSignInCode = (): string => randomBytes(16).toString('base64url')

/** `undefined`: the text is no code. */
export const hashSignInCode = (text: string): Buffer | undefined =>
  /^[\w-]{22}$/.test(text) ? hash('sha256', text, 'buffer') : undefined

export const toHash = (digest: string): Buffer => Buffer.from(digest.slice(digest.indexOf(' ') + 1), 'base64')

/** The digest as the database stores it. Throws when the text is no key. */
export function hashSecret(secret: string): Buffer {
  const digest = digestSecret(secret)
  assert(digest !== undefined, 'the text is no key')
  return toHash(digest)
}

/** The end of a key, enough for an owner to recognise it. */
export const hintOf = (secret: string): string => secret.slice(-4)
