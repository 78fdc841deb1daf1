import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { MESSAGES } from '../../events/registry.js'
import { type JsonSchema, pascalCase } from '../../http/schema-components.js'
import { ACTION_COSTS } from '../action-costs.js'
import { BOOK_ERRORS, STREAM_ERRORS } from '../messages.js'
import type { AsyncApiDocument } from './document.js'

let t: TestApp
let document: AsyncApiDocument
beforeAll(async () => {
  t = await createTestApp({ routes: [] })
  document = (await t.app.inject('/asyncapi.json')).json()
})
afterAll(() => t.close())

const messages = () => Object.entries(document.components.messages)
const isAnonymous = (schema?: JsonSchema) => schema?.properties !== undefined

/** Every `$ref` in a value. */
function findReferences(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) =>
    name === '$ref' ? [String(field)] : findReferences(field),
  )
}

const resolve = (reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], document)

describe('GET /asyncapi.json', () => {
  test('200: to anybody, compressed', async () => {
    const headers = { 'accept-encoding': 'br' }
    const reply = await t.app.inject({ url: '/asyncapi.json', headers })
    expect(reply.statusCode).toBe(200)
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-encoding': 'br',
    })
  })

  test('is version 3.0 with both sockets, and takes the key in the query', () => {
    expect(document.asyncapi).toBe('3.0.0')
    const { channels, components } = document
    expect(Object.values(channels).map(({ address }) => address)).toEqual([
      '/ws',
      '/ws/orderbook',
      '/ws/replay',
    ])
    for (const { bindings } of Object.values(channels)) {
      expect(bindings.ws.query.properties).toHaveProperty('key')
    }
    expect(components.securitySchemes.query).toEqual({
      type: 'httpApiKey',
      in: 'query',
      name: 'key',
    })
  })

  test('every reference leads somewhere', () => {
    const references = findReferences(document)
    expect(references.length).toBeGreaterThan(50)
    expect(references.filter((reference) => resolve(reference) === undefined)).toEqual([])
  })

  test('operations name messages of their channel, and every message has an operation', () => {
    const used = Object.entries(document.operations).flatMap(([name, operation]) => {
      const { channel, messages, reply } = operation
      const references = [...messages, ...(reply?.messages ?? [])].map(({ $ref }) => $ref)
      for (const reference of references) {
        expect(reference.startsWith(`${channel.$ref}/messages/`), name).toBe(true)
      }
      return references
    })
    const offered = Object.entries(document.channels).flatMap(([channel, { messages }]) =>
      Object.keys(messages).map((message) => `#/channels/${channel}/messages/${message}`),
    )
    expect(offered.filter((reference) => !used.includes(reference))).toEqual([])
  })

  test.each([...MESSAGES.keys()])('has the message %s, with the schema that it is sent with', (type) => {
    const message = document.components.messages[type]
    const name = `${pascalCase(type)}Message`
    expect(message?.payload).toEqual({ $ref: `#/components/schemas/${name}` })
    const schema = MESSAGES.get(type)?.schema as JsonSchema
    expect(document.components.schemas?.[name]).toMatchObject({ required: schema.required })
    expect(message?.summary).not.toBe('')
    const { channel, messages } = document.operations['events.liveEvents'] ?? {}
    expect(channel).toEqual({ $ref: '#/channels/events' })
    expect(messages).toContainEqual({ $ref: `#/channels/events/messages/${type}` })
  })

  test('shows examples of every message, in the shape that it says', () => {
    const ajv = new Ajv({ strict: false })
    for (const [name, { payload, examples }] of messages()) {
      expect(examples.length, `${name} has no example`).toBeGreaterThan(0)
      const validate = ajv.compile({ ...payload, components: document.components })
      for (const example of examples) {
        validate(example.payload)
        expect(validate.errors, `${name}: ${example.name}`).toBeNull()
      }
    }
  })

  test('names every schema, and no row after the path to it', () => {
    const { schemas = {} } = document.components
    const anonymous = Object.entries(schemas).filter(([, { properties = {} }]) =>
      Object.values(properties).some((field) => [field, field.items].some(isAnonymous)),
    )
    expect(anonymous).toEqual([])
    expect(Object.keys(schemas).filter((name) => name.endsWith('Item'))).toEqual([])
  })

  test.each(['Events', 'Orderbook'])(
    '%sSocketMessage is any message that the service sends there, discriminated by its type',
    (channel) => {
      const { schemas = {} } = document.components
      const { anyOf = [] } = schemas[`${channel}SocketMessage`] ?? {}
      const sent = anyOf.map(({ $ref = '' }) => $ref.split('/').at(-1) ?? '')
      const tag = channel === 'Events' ? 'liveEvents' : 'booksAndTheirChanges'
      const { messages: live = [] } = document.operations[`${channel.toLowerCase()}.${tag}`] ?? {}
      for (const { $ref } of live) {
        expect(sent).toContain(`${pascalCase($ref.split('/').at(-1) ?? '')}Message`)
      }
      expect(sent).toContain(channel === 'Events' ? 'SubscribedMessage' : 'BooksSubscribedMessage')
      expect(sent).not.toContain('SubscribeMessage')
      for (const name of sent) {
        const { type, ...fields } = schemas[name]?.properties ?? {}
        expect(type ?? fields.event_type, name).toHaveProperty('const')
      }
    },
  )

  test('every message of a client says what it costs', () => {
    const received = Object.values(document.operations).filter(({ action }) => action === 'receive')
    const names = received.flatMap(({ messages }) => messages.map(({ $ref }) => $ref.split('/').at(-1) ?? ''))
    expect(new Set(names).size).toBeGreaterThan(5)
    for (const name of names) {
      expect(document.components.messages[name]?.['x-cost'], name).toMatch(
        /^Units of work.* messages; .* bytes/,
      )
    }
    // And none is described that does not exist.
    expect(Object.keys(ACTION_COSTS).toSorted()).toEqual([...new Set(names)].toSorted())
  })

  test('names every error', () => {
    const named = (name: string) => JSON.stringify(document.components.schemas?.[name])
    for (const code of Object.keys(STREAM_ERRORS)) expect(named('ErrorMessage')).toContain(`"${code}"`)
    for (const code of Object.keys(BOOK_ERRORS)) expect(named('BookErrorMessage')).toContain(`"${code}"`)
  })
})

describe('GET /docs/websocket', () => {
  test('200: shows every message, and loads nothing from elsewhere', async () => {
    const page = await t.app.inject('/docs/websocket')
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    for (const [name] of messages()) expect(page.body).toContain(`id="${name}"`)
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//)
    expect(page.body.match(/<script/g)).toHaveLength(1)
  })

  test('every link on it leads somewhere', async () => {
    const { body } = await t.app.inject('/docs/websocket')
    const links = [...body.matchAll(/href="([#/][^"]*)"/g)].map((match) => match[1] ?? '')
    expect(links).toEqual(expect.arrayContaining(['/docs', '/asyncapi.json', '#subscribe']))
    for (const link of new Set(links)) {
      if (link.startsWith('#')) expect(body, link).toContain(`id="${link.slice(1)}"`)
      else expect((await t.app.inject(link)).statusCode, link).toBeLessThan(400)
    }
  })

  test('the other pages link to it', async () => {
    const front = await t.app.inject('/')
    expect(front.json()).toMatchObject({
      asyncapi: '/asyncapi.json',
      websocket_docs: '/docs/websocket',
    })
    const reference = await t.app.inject('/openapi.json')
    expect(reference.json().info.description).toContain('(/docs/websocket)')
  })

  test('escapes what the document says', async () => {
    const { body } = await t.app.inject('/docs/websocket')
    expect(body).not.toMatch(/<subscriber_id>/)
    expect(body).toContain('&lt;subscriber_id&gt;')
  })
})
