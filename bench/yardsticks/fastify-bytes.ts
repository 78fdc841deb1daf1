import { readFileSync } from 'node:fs'
import Fastify from 'fastify'

/** Bare Fastify that sends the same answer, header by header and byte by byte, to every request. */
const { headers, body } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  headers: Record<string, string>
  body: string
}
const bytes = Buffer.from(body)
const app = Fastify()
app.get('/*', (_request, reply) => reply.headers(headers).send(bytes))
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(new URL(url).port)
