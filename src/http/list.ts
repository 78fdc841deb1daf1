import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { KeyedAccess } from '../accounts/access.js'
import type { Context } from '../context.js'
import { badRequest } from '../core/errors.js'
import type { Page } from '../core/page.js'
import { nullable } from '../lib/nullable.js'
import type { Sql } from '../store/connection.js'
import { Cursors } from './cursor.js'
import { oneOf } from './parameters.js'
import { setHeaders } from './request-headers.js'
import {
  chooseRowFormat,
  ROW_FORMAT_NAMES,
  ROW_FORMATS,
  type RowFormatName,
  renderRows,
} from './row-format.js'

const LIMIT_DEFAULT = 100

/** One kind of rows that a list can show. */
export type ListView<Scope> = {
  row: TObject
  select(sql: Sql, scope: Scope, page: Page): Promise<ListRow[]>
  /** Stands in the answer in place of the fields about the page. Such a view has no cursors. */
  echo?: object
}

/** `key`: its place in the order of the view, which a cursor remembers. */
type ListRow = { key: readonly number[]; value: object }

export function createView<Scope, Row>(view: {
  row: TObject
  select: (sql: Sql, scope: Scope, page: Page) => Promise<Row[]>
  keyOf: (row: Row) => readonly number[]
  present: (row: Row) => object
  echo?: object
}): ListView<Scope> {
  const { row, keyOf, present, echo } = view
  return {
    row,
    select: async (sql, scope, page) => {
      const rows = await view.select(sql, scope, page)
      return rows.map((each) => ({ key: keyOf(each), value: present(each) }))
    },
    ...(echo !== undefined && { echo }),
  }
}

/** Everything about a list but what all lists share. The answer repeats the path parameters. */
export type ListDefinition<
  Params extends TObject,
  Query extends TObject,
  Scope extends { until: number },
  View extends string,
> = {
  path: string
  operationId: string
  summary: string
  description: string
  tag: string
  access: KeyedAccess
  params: Params
  query: Query
  page: { name: string; limitMax: number }
  /**
   * Turns parameters into what the queries take, and throws a 400 where they do not fit together.
   * `undefined`: nothing can match. `until`: the bound of the walk that a cursor goes on with.
   */
  resolve: (
    sql: Sql,
    input: Static<Params> & Static<Query>,
    until: number | undefined,
  ) => Promise<Scope | undefined>
  views: Record<View, ListView<Scope>>
  chooseView: (input: Static<Params> & Static<Query>) => View
  /** A second list, behind the rows of a JSON answer, that only some requests ask for. */
  branch?: {
    fields: TProperties
    isWanted: (input: Static<Params> & Static<Query>) => boolean
    select: (sql: Sql, scope: Scope | undefined, page: Page) => Promise<object>
  }
}

/** A list as the application registers it, and as the test of all lists walks it. */
export type List = {
  path: string
  query: TObject
  /** The field of the rows. */
  name: string
  register: (app: FastifyInstance, ctx: Context, cursors: Cursors) => void
}

/** The parameters of every list. Out of range they are moved to the nearest value that is allowed. */
const pageParameters = (limitMax: number) => ({
  limit: Type.Integer({
    default: LIMIT_DEFAULT,
    description: `rows in the answer, at most ${limitMax}`,
  }),
  offset: Type.Integer({ default: 0, description: 'rows to pass over' }),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '^[A-Za-z0-9_.-]*$',
      description:
        '`next_cursor` of the page before, with the same filters; valid for 24 hours; costs the same however far it goes',
    }),
  ),
  format: Type.Optional(
    oneOf(
      ROW_FORMAT_NAMES,
      'how rows are written; without it the `accept` header decides, and JSON is the default',
    ),
  ),
})

type PageQuery = { limit: number; offset: number; cursor?: string; format?: RowFormatName }

const pageFields = {
  rows_returned: Type.Integer({ minimum: 0 }),
  has_more: Type.Optional(Type.Boolean()),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'as applied' })),
  next_cursor: Type.Optional(nullable(Type.String(), 'null on the last page')),
  grouped_by: Type.Optional(Type.String({ description: 'in place of the four before' })),
  elapsed_ms: Type.Integer({ minimum: 0 }),
}

export function defineList<
  Params extends TObject,
  Query extends TObject,
  Scope extends { until: number },
  View extends string,
>(definition: ListDefinition<Params, Query, Scope, View>): List {
  const { path, params, page, views, branch } = definition
  const filters = { ...params.properties, ...definition.query.properties }
  const query = Type.Object({
    ...definition.query.properties,
    ...pageParameters(page.limitMax),
  })

  /** What the request asks for, after the schemas have checked it. */
  function parseRequest(request: FastifyRequest) {
    const asked = request.query as PageQuery
    const given: object = { ...(request.params as object), ...(request.query as object) }
    const input = given as Static<Params> & Static<Query>
    const view = views[definition.chooseView(input)]
    const isBranched = branch?.isWanted(input) ?? false
    return {
      input,
      view,
      isBranched,
      cursor: asked.cursor,
      hasCursors: view.echo === undefined && !isBranched,
      issuedFor: JSON.stringify([path, Object.keys(filters).map((name) => fieldOf(input, name))]),
      limit: Math.min(Math.max(asked.limit, 1), page.limitMax),
      offset: Math.max(asked.offset, 0),
      format: chooseRowFormat(asked.format, request.headers.accept),
    }
  }

  async function selectPage(
    { sql, cursors }: { sql: Sql; cursors: Cursors },
    asked: ReturnType<typeof parseRequest>,
  ) {
    const { input, view, issuedFor, limit, offset } = asked
    const cursor = await readCursor(cursors, asked)
    const scope = await definition.resolve(sql, input, cursor?.until)
    const wanted = { limit: limit + 1, offset, after: cursor?.after }
    const found = scope === undefined ? [] : await view.select(sql, scope, wanted)
    const second = asked.isBranched ? await branch?.select(sql, scope, wanted) : undefined

    const rows = found.slice(0, limit)
    const hasMore = found.length > limit
    const last = rows.at(-1)
    const isContinued = asked.hasCursors && hasMore && last !== undefined && scope !== undefined
    const nextCursor = isContinued
      ? await cursors.write({ after: last.key, until: scope.until }, issuedFor)
      : null
    return { rows, hasMore, nextCursor, second }
  }

  async function answer(
    { ctx, cursors }: { ctx: Context; cursors: Cursors },
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    const asked = parseRequest(request)
    const { view, format, limit, offset } = asked
    if (asked.isBranched && format !== 'json') {
      throw badRequest(`Invalid format: ${format} has no place for a second list; ask for json.`)
    }
    const found = await selectPage({ sql: ctx.sql, cursors }, asked)
    const { rows, hasMore, nextCursor, second } = found
    setHeaders(reply, [
      ...['vary', 'accept', 'x-rows-returned', `${rows.length}`, 'x-has-more', `${hasMore}`],
      ...(nextCursor === null ? [] : ['x-next-cursor', nextCursor]),
    ])
    const { contentType } = ROW_FORMATS[format]
    const text = renderRows(ROW_FORMATS[format], Object.keys(view.row.properties), {
      name: page.name,
      envelope: request.params as object,
      rows: rows.map(({ value }) => value),
      echo: {
        rows_returned: rows.length,
        ...(view.echo ?? { has_more: hasMore, offset, limit, next_cursor: nextCursor }),
        ...second,
        elapsed_ms: Math.round(reply.elapsedTime),
      },
    })
    return reply.type(contentType).send(text)
  }

  const body = Type.Object({
    ...params.properties,
    [page.name]: Type.Array(Type.Union(rowsOf(views))),
    ...pageFields,
    ...branch?.fields,
  })
  const { operationId, summary, description, tag, access } = definition
  const schema = {
    ...{ operationId, summary, description, tags: [tag], params, querystring: query },
    response: { 200: describeReply(summary, body) },
  }
  return {
    path,
    query,
    name: page.name,
    register: (app, ctx, cursors) => {
      const config = { access, isOfChain: true }
      app.get(path, { config, schema }, (request, reply) =>
        answer({ ctx, cursors }, request, reply),
      )
    },
  }
}

/** The kinds of rows of all views, each once. */
const rowsOf = (views: Record<string, ListView<never>>): TObject[] => [
  ...new Set(Object.values(views).map(({ row }) => row)),
]

/** The routes of some lists. */
export const listRoutes =
  (lists: readonly List[]): FastifyPluginAsync<{ ctx: Context }> =>
  async (app, { ctx }) => {
    const cursors = new Cursors(ctx, ctx.clock)
    for (const list of lists) list.register(app, ctx, cursors)
  }

const describeReply = (summary: string, reply: TObject) => ({
  description: summary,
  content: Object.fromEntries(
    Object.entries(ROW_FORMATS).map(([name, { mediaType, description }]) => [
      mediaType,
      { schema: name === 'json' ? reply : Type.String({ description }) },
    ]),
  ),
})

async function readCursor(
  cursors: Cursors,
  asked: { cursor?: string | undefined; offset: number; hasCursors: boolean; issuedFor: string },
) {
  if (asked.cursor === undefined) return undefined
  if (!asked.hasCursors) {
    throw badRequest('Invalid cursor: grouped and combined lists page by offset.')
  }
  if (asked.offset > 0) throw badRequest('Invalid cursor: give either cursor or offset, not both.')
  return await cursors.read(asked.cursor, asked.issuedFor)
}

const fieldOf = (input: object, name: string): unknown =>
  (input as Record<string, unknown>)[name] ?? null
