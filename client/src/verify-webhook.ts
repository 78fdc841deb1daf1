import { AuspexError } from './auspex-error.js'
import type { webhooks } from './generated/openapi.js'

/** What a webhook sends: `type` says which event it is. */
export type WebhookEvent = {
  [Type in keyof webhooks]: webhooks[Type] extends {
    post: { requestBody?: { content: { 'application/json': infer Body } } }
  }
    ? Body
    : never
}[keyof webhooks]

export type WebhookDelivery = {
  /** The raw bytes, or the text that they are. JSON that was parsed and written again has another signature. */
  body: string | Uint8Array | ArrayBuffer
  /** Of the request: `Headers`, or an object such as `request.headers` of Node.js. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** Of the webhook, `whsec_…`. */
  secret: string
  /** How old, or how far ahead, the time of a delivery may be; 300 unless given. */
  toleranceSeconds?: number | undefined
  /** Unix milliseconds; the present unless given. */
  now?: number | undefined
}

const TOLERANCE_SECONDS = 300

/**
 * Checks that a delivery is one of the webhook with this secret, and returns its event. Throws an `AuspexError` with the
 * code `missing_signature`, `invalid_timestamp` or `invalid_signature`.
 */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { body, secret, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = delivery
  const read = (name: string) => readHeader(delivery.headers, name)
  const bytes = typeof body === 'string' ? encode(body) : new Uint8Array(body)
  const own = read('x-webhook-signature')
  const standard = read('webhook-signature')
  const timestamp = read(own === undefined ? 'webhook-timestamp' : 'x-webhook-timestamp') ?? ''
  if (own === undefined && standard === undefined) {
    throw new AuspexError('The delivery has no signature.', { code: 'missing_signature' })
  }
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new AuspexError('The time of the delivery is too far from now.', { code: 'invalid_timestamp' })
  }
  const isValid =
    own === undefined
      ? await isSigned(
          decodeStandardSecret(secret),
          [encode(`${read('webhook-id')}.${timestamp}.`), bytes],
          (standard ?? '').split(' ').map((each) => decodeBase64(each.replace(/^v1,/, ''))),
        )
      : await isSigned(encode(secret), [encode(`${timestamp}.`), bytes], [decodeHex(own)])
  if (!isValid) {
    throw new AuspexError('The signature of the delivery is wrong.', { code: 'invalid_signature' })
  }
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** Whether one of the signatures is that of the parts. Web Crypto compares in constant time. */
async function isSigned(
  secret: Uint8Array<ArrayBuffer>,
  parts: readonly Uint8Array<ArrayBuffer>[],
  signatures: readonly (Uint8Array<ArrayBuffer> | undefined)[],
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['verify'])
  const signed = new Uint8Array(await new Blob([...parts]).arrayBuffer())
  const results = signatures.map((signature) =>
    signature === undefined ? false : crypto.subtle.verify('HMAC', key, signature, signed),
  )
  return (await Promise.all(results)).includes(true)
}

function readHeader(headers: WebhookDelivery['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const entry = Object.entries(headers).find(([each]) => each.toLowerCase() === name)
  return entry?.[1] === undefined ? undefined : String(entry[1])
}

const encode = (text: string) => new TextEncoder().encode(text)

function decodeHex(signature: string): Uint8Array<ArrayBuffer> | undefined {
  const [, digits] = /^sha256=([0-9a-f]{64})$/.exec(signature) ?? []
  return digits === undefined
    ? undefined
    : Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number(`0x${pair}`))
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const decoded = atob(text)
    return btoa(decoded) === text ? Uint8Array.from(decoded, (letter) => letter.charCodeAt(0)) : undefined
  } catch {
    return undefined
  }
}

/** A secret that is no base64 is a key as it is, as the service takes it. */
const decodeStandardSecret = (secret: string) => decodeBase64(secret.replace(/^whsec_/, '')) ?? encode(secret)
