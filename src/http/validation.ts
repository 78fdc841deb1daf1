import {
  type Serializer,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type {
  FastifyInstance,
  FastifySchemaCompiler,
  FastifySchemaValidationError,
  preValidationHookHandler,
} from 'fastify'
import type { TSchema } from 'typebox'
import { ApiError, badRequest } from '../core/errors.js'
import { MILLISECONDS_MIN } from '../core/unix-time.js'
import { PARAMETER_READERS } from './parameters.js'

/** The keyword of a schema whose refusal has this code as its `error`, and the text beside it as `message`. */
export const ERROR_CODE = 'x-error-code'

/** The keyword of a schema whose refusal has this text. */
export const ERROR_TEXT = 'x-error-text'

type PropertySchema = { type?: string; format?: string; enum?: unknown[] }

// Nothing is converted by Ajv: it would take ' 7', '0x7' and '7e2' for integers, and a number in a
// JSON body for a text. `verbose` puts the schema beside each error, for messages that say what is allowed.
const ajv = new Ajv({ useDefaults: true, verbose: true, strictTypes: false })
for (const name of Object.keys(PARAMETER_READERS)) ajv.addFormat(name, true)
ajv.addKeyword(ERROR_CODE)
ajv.addKeyword(ERROR_TEXT)

/**
 * Compiles a route's schema when its first request comes: all of them at once would delay the start.
 * Query and path values are texts and are read by the types they should have.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: ValidateFunction | undefined
  const validate = (data: unknown): boolean => {
    compiled ??= ajv.compile(schema)
    return compiled(data)
  }
  const check = (data: unknown) => (validate(data) ? { value: data } : { error: toErrors(compiled?.errors) })
  if (httpPart === 'body') {
    // A schema that allows null makes the body optional.
    return (data: unknown) => {
      const isAbsent = data === undefined && !validate(null)
      return isAbsent ? { error: new ApiError(400, 'The request needs a JSON body.') } : check(data ?? null)
    }
  }

  const readers = createReaders(schema)
  return (data: Record<string, unknown>) => {
    for (const [name, read] of readers) {
      const text = data[name]
      if (typeof text === 'string') data[name] = read(text)
    }
    return check(data)
  }
}

/** Compiles the serializer of an answer when the first such answer is sent, for the same reason. */
export const buildSerializers: SerializerFactory = (schemas, options) => {
  const compile = SerializerSelector()(schemas, options)
  return (route) => {
    let serialize: Serializer | undefined
    return (data) => {
      serialize ??= compile(route)
      return serialize(data)
    }
  }
}

type Reader = (text: string) => unknown

const READERS: Record<string, Reader> = {
  integer: (text) => (/^-?\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text),
  number: (text) => (/^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text),
  // Some clients write them as Python does.
  boolean: (text) => {
    if (/^(true|1)$/i.test(text)) return true
    return /^(false|0)$/i.test(text) ? false : text
  },
}

function createReaders(schema: TSchema): [string, Reader][] {
  const properties = (schema as { properties?: Record<string, PropertySchema> }).properties ?? {}
  return Object.entries(properties).flatMap(([name, { type, format }]): [string, Reader][] => {
    const reader = PARAMETER_READERS[format ?? ''] ?? READERS[type ?? '']
    return reader === undefined ? [] : [[name, reader]]
  })
}

const toErrors = (errors: ErrorObject[] | null | undefined) =>
  errors as unknown as FastifySchemaValidationError[] as unknown as Error

const PART_NAMES: Record<string, string> = {
  querystring: 'query parameter',
  params: 'path parameter',
  body: 'body field',
}

/** The first fault of a request as an error that names the parameter and what it may be. */
export function describeFault(errors: FastifySchemaValidationError[], part: string): ApiError {
  const [fault] = errors as unknown as [ErrorObject]
  const refusal = describeFirst(fault, part)
  const schema =
    fault.keyword === 'required'
      ? fault.parentSchema?.properties?.[fault.params.missingProperty]
      : fault.parentSchema
  const code: unknown = schema?.[ERROR_CODE]
  if (typeof code !== 'string') return refusal
  return badRequest(code, { message: refusal.message, ...refusal.fields })
}

function describeFirst(fault: ErrorObject, part: string): ApiError {
  const partName = PART_NAMES[part] ?? part
  if (fault.keyword === 'required') {
    const { missingProperty } = fault.params
    const missing = fault.parentSchema?.properties?.[missingProperty]
    const meaning = describeMeaning(missing?.description)
    const allowed = missing?.enum === undefined ? '' : `. Allowed: ${missing.enum.join(', ')}`
    return badRequest(`Missing required ${partName} '${missingProperty}'${meaning}${allowed}`)
  }
  const name = fault.instancePath.slice(1).replaceAll('/', '.')
  if (name === '') return badRequest('The body must be a JSON object.')
  if (Array.isArray(fault.data) && fault.parentSchema?.type !== 'array' && part !== 'body') {
    const count = fault.data.length
    return badRequest(`The ${partName} '${name}' was given ${count} times; give it once.`)
  }
  const text: unknown = fault.parentSchema?.[ERROR_TEXT]
  if (typeof text === 'string') return badRequest(text)
  const allowed = (fault.parentSchema as PropertySchema | undefined)?.enum
  if (allowed !== undefined) {
    return badRequest(`Invalid ${name}. Allowed: ${allowed.join(', ')}`, { allowed })
  }
  const unitFault = describeUnitFault(name, fault)
  if (unitFault !== undefined) return unitFault
  if (fault.keyword === 'multipleOf') {
    const step: number = fault.params.multipleOf
    const before = Math.floor(Number(fault.data) / step) * step
    const nearest = `The nearest are ${before} and ${before + step}.`
    return badRequest(`Invalid ${name}: it must be a multiple of ${step}. ${nearest}`)
  }
  const allowedValues = describeSchema(fault.parentSchema)
  return badRequest(`Invalid ${name}: the ${partName} must be ${allowedValues}.`)
}

/** A time in seconds that only makes sense in milliseconds, or the other way round. */
function describeUnitFault(name: string, fault: ErrorObject): ApiError | undefined {
  const { keyword, parentSchema, data } = fault
  // A hint that would be refused as well is none.
  if (keyword === 'maximum' && parentSchema?.maximum === MILLISECONDS_MIN - 1) {
    const seconds = Math.floor(Number(data) / 1000)
    const fields = seconds < MILLISECONDS_MIN ? { hint: `${name}=${seconds}` } : {}
    return badRequest(`Invalid ${name}: give Unix seconds, not milliseconds.`, fields)
  }
  if (keyword === 'minimum' && parentSchema?.minimum === MILLISECONDS_MIN) {
    const ms = Number(data) * 1000
    const fields = ms >= MILLISECONDS_MIN ? { hint: `${name}=${ms}` } : {}
    return badRequest(`Invalid ${name}: give Unix milliseconds, not seconds.`, fields)
  }
  return undefined
}

function describeSchema(schema: ErrorObject['parentSchema']): string {
  const { type, minimum, maximum, minLength, maxLength, description, title } = schema ?? {}
  if (type === 'array') {
    const range = describeRange(schema?.minItems, schema?.maxItems)
    return `a list${range === '' ? '' : `${range} values`}${describeMeaning(description)}`
  }
  const noun = type === 'integer' ? 'an integer' : `a ${type ?? 'valid value'}`
  const range = describeRange(minimum, maximum)
  if (range !== '') return `${noun}${range}`
  const length = describeRange(minLength, maxLength)
  return `${noun}${length === '' ? '' : `${length} characters`}${describeMeaning(description ?? title)}`
}

function describeRange(min: unknown, max: unknown): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max === undefined ? '' : ` of at most ${max}`
}

const describeMeaning = (description: unknown): string =>
  typeof description === 'string' ? ` (${description})` : ''

const bodyDecoder = new TextDecoder('utf-8', { fatal: true })

/** Parses JSON bodies. An empty body is no body; bytes that are not UTF-8 are refused, not replaced. */
export function acceptJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined)
    let text: string
    try {
      text = bodyDecoder.decode(bytes)
    } catch {
      return done(badRequest('The body is not valid UTF-8.'))
    }
    return parse(request, text, (error, body) => (error ? done(describeBodyFault(text)) : done(null, body)))
  })
}

/** Why the parser refused a text: it is no JSON, or it has a field that could change other objects. */
function describeBodyFault(text: string): ApiError {
  try {
    JSON.parse(text)
  } catch {
    return badRequest('The body is not valid JSON.')
  }
  return badRequest("The body must not have a field '__proto__' or 'constructor.prototype'.")
}

/**
 * Refuses what no parameter can mean: percent-encoding that is not UTF-8, and the null character,
 * which PostgreSQL cannot store. The query parser alone would pass both on in some form.
 */
export const checkUrl: preValidationHookHandler = (request, _reply, done) => {
  const { url } = request
  const queryAt = url.indexOf('?')
  if (queryAt === -1 && !url.includes('%00')) return done()

  const fault = findFault(url, queryAt)
  if (fault === undefined) return done()
  const { text, name = '' } = fault
  const schema = request.routeOptions.schema?.querystring as TSchema & QuerySchema
  const code = schema?.properties?.[name]?.[ERROR_CODE]
  return done(code === undefined ? badRequest(text) : badRequest(code, { message: text }))
}

type QuerySchema = { properties?: Record<string, { [ERROR_CODE]?: string }> }

function findFault(url: string, queryAt: number): { text: string; name?: string } | undefined {
  const path = queryAt === -1 ? url : url.slice(0, queryAt)
  if (path.includes('%00')) return { text: 'The path contains a null character.' }
  const query = queryAt === -1 ? '' : url.slice(queryAt + 1)
  if (!query.includes('%')) return undefined
  for (const pair of query.split('&')) {
    const [name = ''] = pair.split('=', 1)
    const parameter = `The query parameter '${name}'`
    if (!isDecodable(pair)) return { text: `${parameter} is not valid UTF-8.`, name }
    if (pair.includes('%00')) return { text: `${parameter} contains a null character.`, name }
  }
  return undefined
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
