import type { FastifyReply } from 'fastify'

/** Sets headers that are given as names and values in turn. */
export function setHeaders(reply: FastifyReply, headers: readonly string[]): void {
  for (let index = 0; index < headers.length; index += 2) {
    reply.header(headers[index] ?? '', headers[index + 1])
  }
}
