import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendTagged, type TaggedText, tagText } from './etag.js'
import { fillSamples, readExamples, type Samples } from './examples.js'

type Served = TaggedText & { samples: Samples }

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
    const type = MEDIA_TYPES[this.#format]
    return sendTagged(request, reply, await this.#read(), { type, cacheControl: 'no-cache' })
  }

  async #read(): Promise<Served> {
    const samples = await this.#readSamples()
    if (this.#served?.samples === samples) return this.#served
    this.#template ??= { text: this.#write(), samples: readExamples().samples }
    const found = Object.entries(samples).filter(([, value]) => value !== undefined)
    const filled = { ...this.#template.samples, ...Object.fromEntries(found) }
    const text = this.#finish(fillSamples(this.#template.text, filled))
    this.#served = { samples, ...tagText(text) }
    return this.#served
  }
}
