import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { DEFAULT_PLANS, type Plan } from '../accounts/plans.js'
import { badRequest } from '../core/errors.js'
import type { OrderKey, Page } from '../core/page.js'
import { clampCount } from '../lib/clamp-count.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import type { Pool, Sql } from '../store/connection.js'
import { findFallback } from '../store/query-times.js'
import { selectDatabaseState } from '../store/replicas/database-state.js'
import { transact } from '../store/transaction.js'
import type { Cursor, Cursors } from './cursor.js'
import {
  type Endpoint,
  type EndpointHead,
  type EndpointParts,
  type Requester,
  withinTime,
} from './endpoint.js'
import { oneOf } from './parameters.js'
import { setHeaders } from './request-headers.js'
import {
  chooseRowFormat,
  describeRows,
  ROW_FORMAT_NAMES,
  ROW_FORMATS,
  type RowFormatName,
} from './row-format.js'
import { ERROR_CODE } from './validation.js'

const LIMIT_DEFAULT = 100

/** One kind of rows that a list can show. */
export type ListView<Scope> = {
  row: TObject
  select(sql: Sql, scope: Scope, page: Page): Promise<SelectedPage>
  /** Replaces the fields about the page in the answer. Such a view has no cursors. */
  echo?: object
  /** The field of its rows, where it is another than that of the list. */
  name?: string
}

/** `lastKey`: the sort key of its last row, which a cursor remembers. */
type SelectedPage = { values: object[]; hasMore: boolean; lastKey: OrderKey | undefined }

/**
 * A row whose key is on the page may have lost what it refers to between two queries: a reorganisation reverted its
 * block or its token, or the catalogue dropped its market. Then the page is read once more. What is lost still, or
 * again, is left out, and the list goes on after it: whether there is more, and where, is decided on the keys.
 */
type Gone = { isGone?: boolean }

export function createView<Scope, Key, Row = Key>(view: {
  row: TObject
  /** One row for each key of the page, in order, `page.limit` at most. Those with `isGone` are left out later. */
  select: (sql: Sql, scope: Scope, page: Page) => Promise<Key[]>
  keyOf: (row: Key) => OrderKey
  /** Adds what other queries say of the rows. It may leave rows out. */
  complete?: (sql: Sql, rows: Key[], scope: Scope) => Promise<Row[]>
  present: (row: Row) => object
  echo?: object
  name?: string
}): ListView<Scope> {
  const { row, keyOf, present, echo, name } = view
  const complete = view.complete ?? ((_sql, rows) => Promise.resolve(rows as unknown as Row[]))
  return {
    row,
    select: async (sql, scope, page) => {
      const read = async () => {
        const keys = await view.select(sql, scope, { ...page, limit: page.limit + 1 })
        const shown = keys.slice(0, page.limit)
        return { keys, shown, whole: await complete(sql, shown.filter(isThere), scope) }
      }
      const first = await read()
      const { keys, shown, whole } = first.whole.length === first.shown.length ? first : await read()
      const last = shown.at(-1)
      return {
        values: whole.map(present),
        hasMore: keys.length > page.limit,
        lastKey: last === undefined ? undefined : keyOf(last),
      }
    },
    ...(echo !== undefined && { echo }),
    ...(name !== undefined && { name }),
  }
}

const isThere = (row: unknown): boolean => (row as Gone).isGone !== true

const NO_PAGE: SelectedPage = { values: [], hasMore: false, lastKey: undefined }

/** How the rows are selected and shown: always the same way, or as the request chooses. */
type Views<Input, Scope, View extends string> =
  | { view: ListView<Scope> }
  | { views: Record<View, ListView<Scope>>; chooseView: (input: Input) => View }

/** Everything about a list but what all lists share. The answer repeats the path parameters. */
export type ListDefinition<
  Params extends TObject,
  Query extends TObject,
  Scope extends object,
  View extends string,
> = EndpointHead &
  Views<Static<Params> & Static<Query>, Scope, View> & {
    /** Absent, as `query`: there are none. */
    params?: Params
    query?: Query
    page: ListPage
    /** True: everything about a page is read in one transaction, which sees the tables at one moment. */
    readsOneSnapshot?: boolean
    /** Whether a request may be paged by cursor, where only some may. */
    allowsCursor?: (input: Static<Params> & Static<Query>) => boolean
    /**
     * Turns parameters into what the queries take, and throws a 400 where they do not fit together.
     * `undefined`: nothing can match.
     */
    resolve: (
      sql: Sql,
      input: Static<Params> & Static<Query>,
      pagination: PaginationContext,
    ) => Promise<(Scope & PaginationBound) | undefined>
    /** Fields of a JSON answer beside the rows and the page. */
    extra?: {
      fields: TProperties
      select: (
        sql: Sql,
        found: {
          input: Static<Params> & Static<Query>
          scope: Scope | undefined
          rows: readonly object[]
          /** `offset`: `undefined` on a page after a cursor. */
          page: { limit: number; offset: number | undefined; hasMore: boolean }
        },
      ) => Promise<object> | object
    }
    /** A second list, after the rows of a JSON answer, that only some requests ask for. */
    secondList?: {
      fields: TProperties
      isWanted: (input: Static<Params> & Static<Query>) => boolean
      /** `page.limit`: rows of its own that it may show. */
      select: (sql: Sql, scope: Scope | undefined, page: Page) => Promise<object>
    }
    /**
     * Rows of another kind, in the same field after those of the page, that only some requests ask for.
     * Both kinds page by the same offset, and a page may have `limit` rows of each.
     */
    appendedRows?: {
      view: ListView<Scope>
      fields: TProperties
      isWanted: (input: Static<Params> & Static<Query>) => boolean
      /** The fields of the answer that say what was appended. */
      describe: (appended: readonly object[]) => object
    }
  }

type ListPage = {
  /** The field of the rows. */
  name: string
  limitMax: number | ((plan: Plan) => number)
  /** Rows of an answer without `limit`; 100 when it is absent. */
  limit?: number
  /** False: the list has offsets alone. */
  hasCursors?: boolean
  /** What the schema of `offset` says beside its type, where it is not moved into range. */
  offset?: { minimum: number; maximum: number; [ERROR_CODE]: string }
  /** False: the answer does not repeat the path parameters. */
  repeatsPath?: boolean
}

/** `until`: the bound that a cursor carries from page to page; `undefined`: this is the first page. */
export type PaginationContext = Requester & { until: number | undefined }

/** The newest `seq` that the rows depend on. A list whose rows do not depend on blocks has none. */
type PaginationBound = { until?: number }

/** A list as the application registers it, and as the test of all lists pages through it. */
export type List = Endpoint & {
  query: TObject
  /** The field of the rows. */
  name: string
}

/** The parameters of every list. Out of range they are moved to the nearest value that is allowed. */
const pageParameters = ({ limit = LIMIT_DEFAULT, hasCursors = true, ...page }: ListPage) => ({
  limit: Type.Integer({ default: limit, description: `rows in the answer, ${describeMax(page)}` }),
  offset: Type.Integer({ default: 0, description: 'rows to pass over', ...page.offset }),
  ...(hasCursors && { cursor: CursorParameter }),
  format: Type.Optional(
    oneOf(
      ROW_FORMAT_NAMES,
      'how rows are written; without it the `accept` header decides, and JSON is the default',
      { title: 'RowFormat' },
    ),
  ),
})

function describeMax({ limitMax }: Pick<ListPage, 'limitMax'>): string {
  if (typeof limitMax === 'number') return `at most ${limitMax}`
  const { starter, growth } = DEFAULT_PLANS
  return `at most ${limitMax(starter)}, ${limitMax(growth)} from the growth plan on, unless \`/v1/plans\` says otherwise`
}

const CursorParameter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[A-Za-z0-9_.-]*$',
    description:
      '`next_cursor` of the page before, with the same filters; valid for 24 hours; costs the same however far it goes',
  }),
)

type PageQuery = { limit: number; offset: number; cursor?: string; format?: RowFormatName }

/** What the answers of all lists have beside their rows. */
export const PageFields = namedObject('PageFields', {
  rows_returned: Type.Integer({ minimum: 0 }),
  has_more: Type.Optional(Type.Boolean()),
  offset: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'as applied' })),
  next_cursor: Type.Optional(nullable(Type.String(), 'null on the last page')),
  grouped_by: Type.Optional(Type.String({ description: 'in place of the four before' })),
  elapsed_ms: Type.Integer({ minimum: 0 }),
})

const NONE = Type.Object({})

/** How many rows are rendered in a millisecond, about. */
const ROWS_PER_MS = 100

export function defineList<
  Scope extends object,
  View extends string,
  Params extends TObject = typeof NONE,
  Query extends TObject = typeof NONE,
>(definition: ListDefinition<Params, Query, Scope, View>): List {
  const { path, params = NONE, page, secondList, extra, appendedRows } = definition
  const allViews = 'view' in definition ? [definition.view] : Object.values<ListView<Scope>>(definition.views)
  const { limitMax, repeatsPath = true } = page
  const { properties } = definition.query ?? NONE
  const filters = { ...params.properties, ...properties }
  const query = Type.Object({ ...properties, ...pageParameters(page) })

  /** What the request asks for, after the schemas have checked it. */
  function parseRequest(request: FastifyRequest) {
    const { caller } = request
    if (caller === undefined) throw new Error(`${path} was reached without a caller`)
    const pageQuery = request.query as PageQuery
    const parameters: object = { ...(request.params as object), ...(request.query as object) }
    const input = parameters as Static<Params> & Static<Query>
    const view = 'view' in definition ? definition.view : definition.views[definition.chooseView(input)]
    const hasSecondList = secondList?.isWanted(input) ?? false
    const isAppended = appendedRows?.isWanted(input) ?? false
    const most = typeof limitMax === 'number' ? limitMax : limitMax(caller.plan)
    const values = Object.keys(filters).map((name) => fieldOf(input, name))
    return {
      input,
      view,
      caller,
      hasSecondList,
      isAppended,
      cursor: pageQuery.cursor,
      hasCursors:
        page.hasCursors !== false &&
        view.echo === undefined &&
        !hasSecondList &&
        !isAppended &&
        (definition.allowsCursor?.(input) ?? true),
      issuedFor: JSON.stringify([caller.accountId, path, values]),
      limit: clampCount(pageQuery.limit, most),
      offset: Math.max(pageQuery.offset, 0),
      format: chooseRowFormat(pageQuery.format, request.headers.accept),
    }
  }

  async function selectPage(
    sql: Sql,
    { platform, cursors }: EndpointParts,
    parsed: ReturnType<typeof parseRequest>,
    cursor: Cursor | undefined,
  ) {
    const { input, view, caller, issuedFor, limit, offset } = parsed
    const pagination = { caller, nowMs: platform.clock.now(), until: cursor?.until }
    const scope = await definition.resolve(sql, input, pagination)
    const wanted = { limit, offset, after: cursor?.after }
    const found = scope === undefined ? NO_PAGE : await view.select(sql, scope, wanted)

    const isAppended = parsed.isAppended && scope !== undefined
    const appended = isAppended ? await appendedRows?.view.select(sql, scope, wanted) : undefined
    const { values: shown, hasMore: hasMoreAppended } = appended ?? NO_PAGE

    const values = [...found.values, ...shown]
    const hasMore = found.hasMore || hasMoreAppended
    const page = { limit, offset: cursor === undefined ? offset : undefined, hasMore }
    const more = {
      ...(await extra?.select(sql, { input, scope, rows: values, page })),
      ...(parsed.hasSecondList && (await secondList?.select(sql, scope, wanted))),
      ...(parsed.isAppended && appendedRows?.describe(shown)),
    }
    const { lastKey } = found
    const isContinued = parsed.hasCursors && hasMore && lastKey !== undefined
    const hasReplicas = platform.store.replicas.all.length > 0
    const seen = isContinued && hasReplicas ? await selectDatabaseState(sql) : undefined
    const nextCursor = isContinued
      ? await cursors.write({ after: lastKey, until: scope?.until, seen }, issuedFor)
      : null
    return { values, hasMore, nextCursor, more }
  }

  function readPage(
    pool: Pool,
    parts: EndpointParts,
    parsed: ReturnType<typeof parseRequest>,
    cursor: Cursor | undefined,
  ) {
    if (definition.readsOneSnapshot !== true) return selectPage(pool, parts, parsed, cursor)
    const read = (from: Pool) =>
      transact(from, async (tx) => {
        await tx`set transaction isolation level repeatable read read only`
        return await selectPage(tx, parts, parsed, cursor)
      })
    return read(pool).catch((error: unknown) => {
      const other = findFallback(pool, error)
      if (other === undefined) throw error
      return read(other)
    })
  }

  async function answer(parts: EndpointParts, request: FastifyRequest, reply: FastifyReply) {
    const parsed = parseRequest(request)
    const { view, format, limit, offset, hasCursors, isAppended } = parsed
    if (parsed.hasSecondList && format !== 'json') {
      throw badRequest(`Invalid format: ${format} has no place for a second list; ask for json.`)
    }
    const cursor = await readCursor(parts.cursors, parsed)
    // A cursor that does not say what its page was read from is of a process without replicas: of the primary.
    const sql = request.readSql(cursor && (cursor.seen ?? 'now'))
    const found = await withinTime(definition, () => readPage(sql, parts, parsed, cursor))
    const { values, hasMore, nextCursor } = found
    setHeaders(reply, [
      'vary',
      'accept',
      'x-rows-returned',
      `${values.length}`,
      'x-has-more',
      `${hasMore}`,
      ...(nextCursor === null ? [] : ['x-next-cursor', nextCursor]),
    ])
    const echo = view.echo ?? {
      has_more: hasMore,
      offset,
      limit,
      ...(hasCursors && { next_cursor: nextCursor }),
    }
    const admit = (ms: number) => request.admitWork(ms)
    // The rows of several answers may come at once. Others are served between one rendering and the next.
    await admit(values.length / ROWS_PER_MS)
    const answered = {
      name: view.name ?? page.name,
      kinds: [view.row, ...(isAppended && appendedRows !== undefined ? [appendedRows.view.row] : [])],
      envelope: repeatsPath ? (request.params as object) : {},
      rows: values,
      echo: {
        rows_returned: values.length,
        ...echo,
        ...found.more,
        elapsed_ms: Math.round(reply.elapsedTime),
      },
    }
    const { contentType, render } = ROW_FORMATS[format]
    return reply.type(contentType).send(await render(answered, admit))
  }

  const body = Type.Object({
    ...(repeatsPath && params.properties),
    ...rowFields(page.name, allViews, appendedRows?.view.row),
    ...PageFields.properties,
    ...extra?.fields,
    ...secondList?.fields,
    ...appendedRows?.fields,
  })
  const { operationId, summary, description, tag, access } = definition
  const schema = {
    operationId,
    summary,
    description,
    tags: [tag],
    params,
    querystring: query,
    response: { 200: describeRows(summary, body), ...definition.errors },
  }
  return {
    path,
    query,
    name: page.name,
    register: (app, parts) => {
      const config = { access, dependsOnChain: true, deprecation: definition.deprecation }
      app.get(path, { config, schema }, (request, reply) => answer(parts, request, reply))
    },
  }
}

/** The fields of the rows. Of several an answer has one. */
function rowFields(
  listName: string,
  views: readonly ListView<never>[],
  appended: TObject | undefined,
): TProperties {
  const names = new Set(views.map(({ name = listName }) => name))
  const fields = [...names].map((each): [string, TSchema] => {
    const ofName = views.filter(({ name = listName }) => name === each)
    const rows = [...new Set(ofName.map(({ row }) => row)), ...(appended === undefined ? [] : [appended])]
    const [first] = rows
    const field = Type.Array(rows.length === 1 && first !== undefined ? first : Type.Union(rows))
    return [each, names.size === 1 ? field : Type.Optional(field)]
  })
  return Object.fromEntries(fields)
}

async function readCursor(
  cursors: Cursors,
  parsed: { cursor?: string | undefined; offset: number; hasCursors: boolean; issuedFor: string },
) {
  if (parsed.cursor === undefined) return undefined
  if (!parsed.hasCursors) {
    throw badRequest('Invalid cursor: this view of the list pages by offset; leave out cursor.')
  }
  if (parsed.offset > 0) throw badRequest('Invalid cursor: give either cursor or offset, not both.')
  return await cursors.read(parsed.cursor, parsed.issuedFor)
}

const fieldOf = (input: object, name: string): unknown => (input as Record<string, unknown>)[name] ?? null
