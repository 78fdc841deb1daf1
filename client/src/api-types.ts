import type { lists } from './generated/lists.js'
import type { components, paths } from './generated/openapi.js'

export type Method = 'get' | 'post' | 'put' | 'delete'

/** The schemas of the OpenAPI document by name, such as `Schemas['Trade']`. */
export type Schemas = components['schemas']

/** The paths that have an operation of this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, Described> ? P : never
}[keyof paths]

/** The paths of lists that are read page by page. */
export type ListPath = keyof lists & PathOf<'get'>

/** The paths that also answer with CSV, NDJSON or Parquet. */
export type DownloadPath = {
  [P in PathOf<'get'>]: ContentOf<Operation<P, 'get'>> extends { 'text/csv': unknown } ? P : never
}[PathOf<'get'>]

/** What an operation answers with; `undefined`: it answers without a body. */
export type Answer<P extends PathOf<M>, M extends Method = 'get'> =
  ContentOf<Operation<P, M>> extends { 'application/json': infer Body } ? Body : undefined

/** One row of a list. */
export type Row<P extends ListPath> =
  NonNullable<Answer<P>[lists[P] & keyof Answer<P>]> extends readonly (infer Item)[] ? Item : never

/** What a request of an operation takes; parts that it does not need may be left out. */
export type RequestOptions<P extends PathOf<M>, M extends Method = 'get'> = PathPart<Operation<P, M>> &
  QueryPart<Operation<P, M>> &
  BodyPart<Operation<P, M>> & {
    /** Ends the request, and the wait before another attempt. */
    signal?: AbortSignal | undefined
  }

/** The last arguments of a method: the options may be left out where none of them is required. */
export type OptionsArgument<Options> =
  Record<never, never> extends Options ? [options?: Options] : [options: Options]

type Described = { responses: object }

type Operation<P extends keyof paths, M extends Method> = paths[P][M]

/** The bodies of a successful answer by media type; `undefined`: it has none. */
type ContentOf<Op> = Op extends { responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201 | 202)] extends { content: infer Content }
    ? Content
    : undefined
  : undefined

type PathPart<Op> = Op extends { parameters: { path: infer Values } } ? { path: Values } : unknown

type QueryPart<Op> = Op extends { parameters: { query: infer Values } }
  ? { query: Clearable<Values> }
  : Op extends { parameters: { query?: infer Values } }
    ? { query?: Clearable<Exclude<Values, undefined>> | undefined }
    : unknown

type BodyPart<Op> = Op extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : Op extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { body?: Body | undefined }
    : unknown

/** A parameter that may be left out may also be `undefined`, which is the same. */
export type Clearable<Values> = {
  [Name in keyof Values]: Record<never, never> extends Pick<Values, Name>
    ? Values[Name] | undefined
    : Values[Name]
}
