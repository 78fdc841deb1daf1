import { useInfiniteQuery } from '@tanstack/react-query'
import type { Answer, ListPath, RequestOptions, Row } from 'auspex-client'
import type { ReactNode } from 'react'
import { auspex } from '../api.js'
import { Loaded } from './loaded.js'

type MoreRowsProps<P extends ListPath> = {
  path: P
  options: RequestOptions<P, 'get'>
  rowsOf: (answer: Answer<P>) => readonly Row<P>[]
  empty: string
  children: (rows: readonly Row<P>[]) => ReactNode
}

type Paged = { next_cursor?: string | null | undefined }

/** A list of the API that the reader can read on, page after page. */
export function MoreRows<P extends ListPath>({ path, options, rowsOf, empty, children }: MoreRowsProps<P>) {
  const { query, ...rest } = options as { query?: object }
  const pages = useInfiniteQuery({
    queryKey: ['rows', path, options],
    queryFn: ({ pageParam: cursor, signal }) =>
      auspex.request<Answer<P>>('get', path, { ...rest, query: { ...query, cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last as Paged).next_cursor ?? undefined,
  })
  return (
    <Loaded
      query={pages}
      height={20}
      empty={{ is: ({ pages: read }) => read.every((page) => rowsOf(page).length === 0), text: empty }}
    >
      {({ pages: read }) => (
        <>
          {children(read.flatMap((page) => rowsOf(page)))}
          {pages.hasNextPage && (
            <p className="inside">
              <button
                type="button"
                disabled={pages.isFetchingNextPage}
                onClick={() => void pages.fetchNextPage()}
              >
                Show more
              </button>
            </p>
          )}
        </>
      )}
    </Loaded>
  )
}
