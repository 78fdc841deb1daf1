import { hash, randomBytes } from 'node:crypto'

/** 192 random bits, as 48 lower-case hexadecimal characters. */
export const createSecret = (): string => `ax_live_${randomBytes(24).toString('hex')}`

/** Whether the text has the form of a key, with today's prefix or the legacy one. */
export const isSecret = (text: string): boolean => /^(?:ax|auspex)_live_[0-9a-f]{48}$/.test(text)

/** A cheap necessary condition of `isSecret`. */
export const hasPrefix = (text: string): boolean =>
  text.startsWith('ax_live_') || text.startsWith('auspex_live_')

/**
 * What is stored and looked up: the SHA-256 of the random part, so that a key works with today's
 * prefix and with the legacy one. It is too random to be guessed back, so no salt is needed.
 */
export const digestSecret = (secret: string): string =>
  hash('sha256', secret.slice(secret.lastIndexOf('_') + 1), 'base64')

export const toHash = (digest: string): Buffer => Buffer.from(digest, 'base64')

export const hashSecret = (secret: string): Buffer => toHash(digestSecret(secret))

/** The end of a key, enough for an owner to recognise it. */
export const hintOf = (secret: string): string => secret.slice(-4)
