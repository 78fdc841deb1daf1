import type { SocketKind } from './upgrade.js'

/** How connections end that the service ends. */
export const CLOSE = {
  /** The service stops or was asked to let go: the client should connect again. */
  restart: 1012,
  /** The client does not keep up, or the service cannot take it now. */
  tooSlow: 1013,
  policy: 1008,
  internal: 1011,
  unauthorized: 4401,
  forbidden: 4403,
  idle: 4408,
  limit: 4429,
} as const

export type SocketError = { code: string; message: string }

/** A message that tells the client what is wrong. Clients of the orderbook socket look for `error`. */
export const presentError = (socket: SocketKind, { code, message }: SocketError) =>
  socket === 'orderbook' ? { type: 'error', code, error: code, message } : { type: 'error', code, message }

/** A reason for a close frame, which has room for 123 bytes. */
export const toReason = (text: string): string => Buffer.from(text).subarray(0, 123).toString()
