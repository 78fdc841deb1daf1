import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fillSamples, readExamples, type Samples } from './examples.js'

/** `etag` is weak: it is the same for all encodings. */
type Served = { samples: Samples; text: string; etag: string }

const MEDIA_TYPES = { json: 'application/json; charset=utf-8', yaml: 'application/x-yaml' }

/** The OpenAPI document with examples that have data here. They are filled in again when the samples change. */
export class ServedDocument {
  readonly #write: () => string
  readonly #readSamples: () => Promise<Samples>
  readonly #format: keyof typeof MEDIA_TYPES
  readonly #finish: (text: string) => string
  #template: { text: string; samples: Samples } | undefined
  #served: Served | undefined

  constructor(
    write: () => string,
    readSamples: () => Promise<Samples>,
    format: keyof typeof MEDIA_TYPES = 'json',
    /** Changes the text once the samples are in it. */
    finish = (text: string) => text,
  ) {
    this.#write = write
    this.#readSamples = readSamples
    this.#format = format
    this.#finish = finish
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { text, etag } = await this.#read()
    reply.headers({ etag, 'cache-control': 'no-cache' })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    return reply.type(MEDIA_TYPES[this.#format]).send(text)
  }

  async #read(): Promise<Served> {
    const samples = await this.#readSamples()
    if (this.#served?.samples === samples) return this.#served
    this.#template ??= { text: this.#write(), samples: readExamples().samples }
    const found = Object.entries(samples).filter(([, value]) => value !== undefined)
    const filled = { ...this.#template.samples, ...Object.fromEntries(found) }
    const text = this.#finish(fillSamples(this.#template.text, filled))
    const etag = `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`
    this.#served = { samples, text, etag }
    return this.#served
  }
}
