import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A text that is sent to many clients. Its `etag` is weak: it is the same for all encodings. */
export type TaggedText = { text: string; etag: string }

export const tagText = (text: string): TaggedText => ({
  text,
  etag: `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`,
})

/** Sends the text, or 304 to a client that has it. */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, etag }: TaggedText,
  { type, cacheControl }: { type: string; cacheControl: string },
): FastifyReply {
  reply.headers({ etag, 'cache-control': cacheControl })
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  return reply.type(type).send(text)
}
