import type {
  Answer,
  DownloadPath,
  ListPath,
  Method,
  OptionsArgument,
  PathOf,
  RequestOptions,
  Row,
} from './api-types.js'
import { Http, type HttpOptions, type HttpRequest } from './http.js'
import { readPages, rowsOf } from './pages.js'

export type ClientOptions = HttpOptions

/** How rows are written by a download. */
export type DownloadFormat = 'csv' | 'ndjson' | 'parquet'

/** A service, asked by its public API. Whatever fails is an `AuspexError`; a signal ends a call with its reason. */
export class AuspexClient {
  readonly #http: Http

  constructor(options: ClientOptions) {
    this.#http = new Http(options)
  }

  get<P extends PathOf<'get'>>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'get'>>
  ): Promise<Answer<P, 'get'>> {
    return this.request('get', path, options)
  }

  post<P extends PathOf<'post'>>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'post'>>
  ): Promise<Answer<P, 'post'>> {
    return this.request('post', path, options)
  }

  put<P extends PathOf<'put'>>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'put'>>
  ): Promise<Answer<P, 'put'>> {
    return this.request('put', path, options)
  }

  delete<P extends PathOf<'delete'>>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'delete'>>
  ): Promise<Answer<P, 'delete'>> {
    return this.request('delete', path, options)
  }

  /** Any path, such as one that this version of the client does not know yet. */
  async request<Body>(method: Method, path: string, options: HttpRequest = {}): Promise<Body> {
    return (await this.#http.request(method.toUpperCase(), path, options)) as Body
  }

  /** The answers of a list, page after page. */
  pages<P extends ListPath>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'get'>>
  ): AsyncGenerator<Answer<P>, void, undefined> {
    return readPages(this.#http, path, options ?? {}) as AsyncGenerator<Answer<P>, void, undefined>
  }

  /** The rows of a list, page after page. */
  async *rows<P extends ListPath>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'get'>>
  ): AsyncGenerator<Row<P>, void, undefined> {
    for await (const answer of readPages(this.#http, path, options ?? {})) {
      yield* rowsOf(answer) as readonly Row<P>[]
    }
  }

  /** One answer in another format than JSON, as it comes. */
  download<P extends DownloadPath>(
    path: P,
    options: RequestOptions<P, 'get'> & { format: DownloadFormat },
  ): Promise<ReadableStream<Uint8Array>> {
    const { format, ...request }: HttpRequest & { format: DownloadFormat } = options
    return this.#http.download(path, { ...request, query: { ...request.query, format } })
  }
}
