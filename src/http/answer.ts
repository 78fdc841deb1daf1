import type { FastifyRequest } from 'fastify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Context } from '../context.js'
import type { Sql } from '../store/connection.js'
import { type Asker, type Endpoint, type EndpointHead, withinTime } from './endpoint.js'

/** What an answer is made from. `sql` cancels queries that take too long. */
export type AnswerTools = Asker & { ctx: Context; sql: Sql }

/** An endpoint that answers with one object. Its parameters are the fields of path, query and body. */
export type AnswerDefinition<
  Params extends TObject,
  Query extends TObject,
  Body extends TObject,
  Reply extends TObject,
> = EndpointHead & {
  method?: 'GET' | 'POST'
  params?: Params
  query?: Query
  body?: Body
  /** Without `elapsed_ms`, which every answer has. */
  reply: Reply
  /** False: the answer does not depend on the chain. */
  isOfChain?: boolean
  /** How long an answer may be served again, to every caller. */
  cacheMs?: number
  answer: (
    tools: AnswerTools,
    input: Static<Params> & Static<Query> & Static<Body>,
  ) => Promise<Static<Reply>>
}

const NO_FIELDS = Type.Object({})

export function defineAnswer<
  Reply extends TObject,
  Params extends TObject = typeof NO_FIELDS,
  Query extends TObject = typeof NO_FIELDS,
  Body extends TObject = typeof NO_FIELDS,
>(definition: AnswerDefinition<Params, Query, Body, Reply>): Endpoint {
  const { path, operationId, summary, description, tag, access } = definition
  const { method = 'GET', params, query, body, isOfChain = true, cacheMs } = definition
  const reply = Type.Object(
    { ...definition.reply.properties, elapsed_ms: Type.Integer({ minimum: 0 }) },
    { description: summary },
  )
  const schema: Record<string, TSchema | object> = {
    ...{ operationId, summary, description, tags: [tag] },
    ...(params !== undefined && { params }),
    ...(query !== undefined && { querystring: query }),
    ...(body !== undefined && { body }),
    response: { 200: reply, ...definition.errors },
  }
  const config = { access, isOfChain, ...(cacheMs !== undefined && { cacheMs }) }
  return {
    path,
    register: (app, { ctx }) => {
      const handler = async (request: FastifyRequest) => {
        const { caller } = request
        if (caller === undefined) throw new Error(`${path} was reached without a caller`)
        const startedAt = performance.now()
        const given: object = Object.assign({}, request.params, request.query, request.body)
        const tools = { ctx, sql: ctx.answerSql, caller, nowMs: ctx.clock.now() }
        const input = given as Static<Params> & Static<Query> & Static<Body>
        const fields = await withinTime(definition, () => definition.answer(tools, input))
        return { ...fields, elapsed_ms: Math.round(performance.now() - startedAt) }
      }
      app.route({ method, url: path, config, schema, handler })
    },
  }
}
