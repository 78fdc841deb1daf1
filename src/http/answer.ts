import type { FastifyReply, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Stopwatch } from '../lib/stopwatch.js'
import type { Platform } from '../platform.js'
import type { Sql } from '../store/connection.js'
import { watchQueries } from '../store/query-times.js'
import { type Endpoint, type EndpointHead, type Requester, withinTime } from './endpoint.js'
import { compileValidator } from './validation.js'

/**
 * What an answer is made from. `sql` cancels queries that take too long. `baseUrl` is where the client
 * reaches this service, such as `https://host`; a cached answer that has it in it says `isPerHost`.
 */
export type AnswerTools<Deps = unknown> = Requester & {
  platform: Platform
  /** What the endpoint needs of other domains. */
  deps: Deps
  sql: Sql
  baseUrl: string
  /** Of the request; `undefined`: slow ones are not logged. */
  stopwatch?: Stopwatch | undefined
}

/** An endpoint that answers with one object. Its parameters are the fields of path, query and body. */
export type AnswerDefinition<
  Params extends TObject,
  Query extends TObject,
  Body extends TObject,
  Reply extends TObject,
  Deps,
> = EndpointHead & {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Of a success; 200 when it is absent. */
  status?: 200 | 201
  params?: Params
  query?: Query
  body?: Body
  /** Validates the body instead of its schema, which then only documents it. Throws what is wrong with it. */
  readBody?: (body: unknown) => Static<Body>
  /** Without `elapsed_ms`. */
  reply: Reply
  /** False: the answer does not say how long it took. */
  hasElapsed?: boolean
  /** False: the answer does not depend on the chain. */
  dependsOnChain?: boolean
  /** How long an answer may be served again, to every caller. */
  cacheMs?: number | ((reply: Static<Reply>) => number)
  /** The answer has addresses of this service in it. */
  isPerHost?: boolean
  answer: (
    tools: AnswerTools<Deps>,
    input: Static<Params> & Static<Query> & Static<Body>,
  ) => Promise<Static<Reply>>
}

const NO_FIELDS = Type.Object({})
const ElapsedMs = Type.Integer({ minimum: 0 })

export function defineAnswer<
  Reply extends TObject,
  Params extends TObject = typeof NO_FIELDS,
  Query extends TObject = typeof NO_FIELDS,
  Body extends TObject = typeof NO_FIELDS,
  Deps = unknown,
>(definition: AnswerDefinition<Params, Query, Body, Reply, Deps>): Endpoint<Deps> {
  const { path, operationId, summary, description, tag, access } = definition
  const { method = 'GET', status = 200, hasElapsed = true } = definition
  const { params, query, body, readBody, dependsOnChain = true, isPerHost = false } = definition
  const { title } = definition.reply as { title?: string }
  const cacheMs = toCacheMs(definition.cacheMs)
  const reply = Type.Object(
    { ...definition.reply.properties, ...(hasElapsed && { elapsed_ms: ElapsedMs }) },
    { description: summary, ...(title !== undefined && { title }) },
  )
  const schema: Record<string, TSchema | object> = {
    operationId,
    summary,
    description,
    tags: [tag],
    ...(params !== undefined && { params }),
    ...(query !== undefined && { querystring: query }),
    ...(body !== undefined && { body }),
    response: { [status]: reply, ...definition.errors },
  }
  const { deprecation } = definition
  const config = { access, deprecation, dependsOnChain, isPerHost, ...(cacheMs !== undefined && { cacheMs }) }
  return {
    path,
    register: (app, { platform, deps }) => {
      const handler = async (request: FastifyRequest, sent: FastifyReply) => {
        const { caller, stopwatch } = request
        if (caller === undefined) throw new Error(`${path} was reached without a caller`)
        const startedAt = performance.now()
        // A field of the path wins over one of the same name that a caller puts elsewhere.
        const given: object = Object.assign({}, request.body, request.query, request.params)
        const baseUrl = platform.config.publicUrl ?? `${request.protocol}://${request.host}`
        const counted = platformOf(platform, request)
        const sql = counted.answerSql
        const nowMs = platform.clock.now()
        const tools = { platform: counted, deps, sql, caller, nowMs, baseUrl, stopwatch }
        const input = given as Static<Params> & Static<Query> & Static<Body>
        const fields = await withinTime(definition, () => definition.answer(tools, input))
        if (status !== 200) sent.code(status)
        if (!hasElapsed) return fields
        return { ...fields, elapsed_ms: Math.round(performance.now() - startedAt) }
      }
      const validatorCompiler = readBody === undefined ? compileValidator : readWith(readBody)
      app.route({ method, url: path, config, schema, handler, validatorCompiler })
    },
  }
}

/** The same platform for one request: its queries are counted, and those of `answerSql` wait for their slots. */
function platformOf(platform: Platform, request: FastifyRequest): Platform {
  return Object.create(platform, {
    sql: { get: () => watchQueries(platform.sql, request) },
    answerSql: { get: () => request.readSql() },
  })
}

const toCacheMs = <Reply>(cacheMs: number | ((reply: Reply) => number) | undefined) =>
  typeof cacheMs === 'function' ? (_query: unknown, _nowMs: number, reply: Reply) => cacheMs(reply) : cacheMs

/** Validates as all routes do, except that the body is read by the endpoint. */
const readWith =
  (readBody: (body: unknown) => unknown): FastifySchemaCompiler<TSchema> =>
  (part) => {
    if (part.httpPart !== 'body') return compileValidator(part)
    return (body: unknown) => {
      try {
        return { value: readBody(body) }
      } catch (error) {
        return { error: error as Error }
      }
    }
  }
