import { isDeepStrictEqual } from 'node:util'
import { addAnswerExamples, addRequestExample, readExamples } from './examples.js'
import { PageFields } from './list.js'
import { extendSchemas, type JsonSchema, pascalCase, SchemaComponents } from './schema-components.js'
import { ERROR_CODE, ERROR_TEXT } from './validation.js'

type Parameter = {
  name?: string
  required?: boolean
  schema?: JsonSchema & {
    minimum?: number
    maximum?: number
    [ERROR_CODE]?: string
    [ERROR_TEXT]?: string
  }
}
type Content = Record<string, { schema?: JsonSchema; example?: unknown }>
type Response = { description?: string; headers?: Record<string, object>; content?: Content }
type Operation = {
  operationId?: string
  summary?: string
  security?: object[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, Response>
}
type Described = {
  paths?: Record<string, Record<string, Operation>>
  webhooks?: Record<string, { post?: Operation }>
  components?: object
  security?: object[]
}

/**
 * Adds what the schemas do not say: what may be left out, which integers are read, the headers of answers. Then
 * everything that has a name, and everything that is said more than once, becomes a component.
 */
export function completeDocument<Document extends object>(generated: Document): Document {
  // Schemas of routes are shared by all who use them; what is changed here is a copy.
  const document: Document = JSON.parse(JSON.stringify(generated))
  const { paths = {}, webhooks = {}, components, security } = document as Described
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const examples = readExamples()
  for (const operation of operations) {
    completeRequest(operation)
    addRequestExample(operation, examples)
    // Operators have no limits.
    const isKeyed = (operation.security ?? []).some((scheme) => 'header' in scheme)
    if (isDeepStrictEqual(operation.security, security)) delete operation.security
    for (const [status, response] of Object.entries(operation.responses)) {
      // Said once.
      if (response.description === operation.summary) response.description = 'OK'
      const headers = headersOf(status, isKeyed)
      if (Object.keys(headers).length > 0) response.headers = headers
      if (status === '304' || status === '204') delete response.content
      if (status >= '400') closeErrors(response)
    }
  }
  const all = [...operations, ...Object.values(webhooks).flatMap(({ post }) => post ?? [])]
  const schemas = shareSchemas(all)
  addAnswerExamples(operations, examples, schemas)
  const shared = { schemas: extendSchemas(schemas), ...shareRepeated(all) }
  return { ...document, components: { ...components, ...shared } }
}

function completeRequest({ parameters = [], requestBody }: Operation): void {
  for (const parameter of parameters) {
    const { schema = {} } = parameter
    if (schema.default !== undefined || parameter.required === false) delete parameter.required
    // Texts of our own refusals, not of use to others.
    delete schema[ERROR_CODE]
    delete schema[ERROR_TEXT]
    if (schema.type === 'integer') {
      schema.minimum ??= Number.MIN_SAFE_INTEGER
      schema.maximum ??= Number.MAX_SAFE_INTEGER
    }
  }
  // What a request needs stands before its filters.
  parameters.sort((a, b) => Number(b.required ?? false) - Number(a.required ?? false))
  const choices = requestBody?.content['application/json']?.schema?.anyOf ?? []
  // A body that may be null may also be left out.
  if (requestBody !== undefined && choices.some(({ type }) => type === 'null')) {
    requestBody.required = false
  }
}

/**
 * Removes that an error may have further fields, which any JSON schema allows anyway: generators make an index
 * signature of it, and TypeScript cannot discriminate types with index signatures by their own fields.
 */
function closeErrors({ content = {} }: Response): void {
  for (const { schema } of Object.values(content)) delete schema?.additionalProperties
}

const header = (description: string, type = 'integer') => ({ description, schema: { type } })

const LIMIT_HEADERS = {
  'x-ratelimit-limit': header('Requests that the strictest bucket allows'),
  'x-ratelimit-remaining': header('Requests that it has left'),
  'x-ratelimit-reset': header('Unix seconds at which it has more'),
  ratelimit: header('All buckets, as in the IETF draft', 'string'),
  'ratelimit-policy': header('Their limits, as in the IETF draft', 'string'),
}

/**
 * All limit headers stand with the 429, and one that clients look at with the other errors, which operations share.
 * What successful answers carry is in the description of the API, once instead of in every operation.
 */
function headersOf(status: string, isKeyed: boolean): Record<string, object> {
  if (status.startsWith('2')) return {}
  const isRefusedEarlier = ['401', '402', '403'].includes(status)
  const { 'x-ratelimit-remaining': remaining } = LIMIT_HEADERS
  const limits = status === '429' ? LIMIT_HEADERS : { 'x-ratelimit-remaining': remaining }
  return {
    'x-request-id': header('Names this request in the log', 'string'),
    ...(isKeyed && !isRefusedEarlier ? limits : {}),
    ...(['429', '502', '503'].includes(status) ? { 'retry-after': header('Seconds to wait') } : {}),
    ...(status === '304' ? { etag: header('The tag that the client sent', 'string') } : {}),
  }
}

/** Replaces the named schemas by references to them. Bodies without a name get that of the operation. */
function shareSchemas(operations: readonly Operation[]): Record<string, JsonSchema> {
  const components = new SchemaComponents()
  components.refer(JSON.parse(JSON.stringify(PageFields)), '')
  for (const { operationId = '', parameters = [], requestBody, responses } of operations) {
    const name = pascalCase(operationId)
    for (const parameter of parameters) {
      const { schema = {}, name: field = '' } = parameter
      parameter.schema = components.refer(schema, `${name}${pascalCase(field)}`)
    }
    if (requestBody !== undefined) referBody(components, requestBody.content, `${name}Body`)
    for (const [status, { content }] of Object.entries(responses)) {
      referBody(components, content, `${name}${status.startsWith('2') ? '' : status}Response`)
    }
  }
  return components.list()
}

/** A body is described where it stands, beside the reference. */
function referBody(components: SchemaComponents, content: Content = {}, name: string): void {
  for (const body of Object.values(content)) {
    const { description: _, ...schema } = body.schema ?? {}
    body.schema = components.refer(schema, name)
  }
}

const RESPONSE_NAMES: Readonly<Record<string, string>> = {
  304: 'NotModified',
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'BodyTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'Unavailable',
  508: 'LoopDetected',
  '2XX': 'Delivered',
  default: 'NotDelivered',
}

/** Headers, answers and parameters that several operations have, each once and referred to. */
function shareRepeated(operations: readonly Operation[]): Record<string, object> {
  const answers = operations.flatMap(({ responses }) => Object.values(responses))
  const headers = share(
    'headers',
    answers.map(({ headers = {} }) => headers),
    (name) => name,
  )
  const responses = share(
    'responses',
    operations.map((operation) => operation.responses),
    (status) => RESPONSE_NAMES[status],
  )
  const parameters = share(
    'parameters',
    operations.map((operation) => operation.parameters ?? []),
    (_index, { name }: Parameter) => name,
  )
  return { headers, responses, parameters }
}

/**
 * Replaces values that stand in several holders by references, and returns them by name. The most frequent one of
 * a name has it, the others have a number after it.
 */
function share<Value extends object>(
  kind: string,
  holders: readonly (Record<string, Value> | Value[])[],
  nameOf: (key: string, value: Value) => string | undefined,
): Record<string, Value> {
  type Occurrence = { holder: Record<string, Value | { $ref: string }>; key: string }
  const uses = new Map<string, { name: string; value: Value; occurrences: Occurrence[] }>()
  for (const holder of holders as Record<string, Value>[]) {
    for (const [key, value] of Object.entries(holder)) {
      const name = nameOf(key, value)
      if (name === undefined) continue
      const text = `${name} ${JSON.stringify(value)}`
      const use = uses.get(text) ?? { name, value, occurrences: [] }
      use.occurrences.push({ holder, key })
      uses.set(text, use)
    }
  }
  const shared: Record<string, Value> = {}
  const repeated = [...uses.values()].filter(({ occurrences }) => occurrences.length > 1)
  for (const { name, value, occurrences } of repeated.sort(
    (a, b) => b.occurrences.length - a.occurrences.length,
  )) {
    let unique = name
    for (let number = 2; unique in shared; number += 1) unique = `${name}${number}`
    shared[unique] = value
    for (const { holder, key } of occurrences) holder[key] = { $ref: `#/components/${kind}/${unique}` }
  }
  return shared
}
