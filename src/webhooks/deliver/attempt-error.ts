import { errors } from 'undici'
import { codeOf } from '../../core/errors.js'
import { TimeoutError } from '../../lib/timeout.js'
import { TargetError } from './address-guard.js'

/** The sender was asked to stop during the attempt. */
export class InterruptedError extends Error {
  override name = 'InterruptedError'
}

/** What the history says about an attempt that got no answer. Customers read it, and may compare it. */
export function describeFailure(error: unknown): string {
  if (error instanceof InterruptedError) return 'interrupted'
  if (error instanceof TimeoutError) return 'timeout'
  if (error instanceof TargetError) return error.attemptError
  const code = codeOf(error) ?? ''
  const known = BY_CODE[code]
  if (known !== undefined) return known
  if (error instanceof errors.HTTPParserError) return 'not an HTTP answer'
  const isTls = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|EPROTO)/.test(code)
  return isTls ? 'tls failure: handshake failed' : 'connection failed'
}

const UNKNOWN_AUTHORITY = 'tls failure: certificate of an unknown authority'
const SELF_SIGNED = 'tls failure: self-signed certificate'

const BY_CODE: { readonly [code: string]: string } = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed without an answer',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  EADDRNOTAVAIL: 'host unreachable',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not an HTTP answer',
  UND_ERR_HEADERS_OVERFLOW: 'headers of the answer are too large',
  CERT_HAS_EXPIRED: 'tls failure: certificate has expired',
  CERT_NOT_YET_VALID: 'tls failure: certificate is not yet valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls failure: certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_SIGNED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls failure: the receiver does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls failure: the receiver does not speak TLS',
}
