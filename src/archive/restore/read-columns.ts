import { type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet'
import type { TableManifest } from '../manifest.js'
import type { ArchiveStore, StoredFile } from '../store/archive-store.js'
import { checkFile } from '../verify-files.js'

/** The values of one row group, column by column, as the file stores them: no decimals or dates are made of them. */
export type ColumnValues = { rows: number; columns: ReadonlyMap<string, readonly unknown[]> }

export type TableReadOptions = {
  store: ArchiveStore
  signal?: AbortSignal | undefined
  /** Called after each file. */
  onBytes?: ((bytes: number) => void) | undefined
}

/** The row groups of a table of a day. Every file is compared with its checksum before its rows are read. */
export async function* readTable(
  manifest: TableManifest | undefined,
  names: readonly string[],
  { store, signal, onBytes }: TableReadOptions,
): AsyncGenerator<ColumnValues> {
  // A table that a later version has added has no files.
  for (const entry of manifest?.files ?? []) {
    signal?.throwIfAborted()
    await checkFile(store, entry)
    const file = await store.open(entry.path)
    try {
      yield* readRowGroups(file, names)
    } finally {
      await file.close()
    }
    onBytes?.(entry.bytes)
  }
}

/** The row groups of a file in their order, with these columns. */
async function* readRowGroups(file: StoredFile, names: readonly string[]): AsyncGenerator<ColumnValues> {
  const metadata = withPlainValues(await parquetMetadataAsync(file))
  let rowStart = 0
  for (const { num_rows } of metadata.row_groups) {
    const rows = Number(num_rows)
    const columns = new Map(names.map((name): [string, unknown[]] => [name, new Array(rows)]))
    const first = rowStart
    await parquetRead({
      file,
      metadata,
      columns: [...names],
      rowStart: first,
      rowEnd: first + rows,
      // Bytes that are no text stay bytes.
      utf8: false,
      onChunk: ({ columnName, columnData, rowStart: at }) => {
        const values = columns.get(columnName)
        if (values === undefined) return
        for (let index = 0; index < columnData.length; index++) values[at - first + index] = columnData[index]
      },
    })
    yield { rows, columns }
    rowStart += rows
  }
}

/** A decimal becomes a floating-point number otherwise, and a time a date without microseconds. */
const withPlainValues = (metadata: FileMetaData): FileMetaData => ({
  ...metadata,
  schema: metadata.schema.map((element) => {
    if (element.converted_type === 'UTF8' || element.converted_type === 'LIST') return element
    const { converted_type: _converted, logical_type: _logical, ...plain } = element
    return plain
  }),
})

/** The rows of a group, with the values of each by the names of the columns. */
export function* rowsOf<Name extends string>(
  { rows, columns }: ColumnValues,
  names: readonly Name[],
): Generator<Record<Name, unknown>> {
  for (let row = 0; row < rows; row++) {
    const values = names.map((name): [Name, unknown] => [name, columns.get(name)?.[row]])
    yield Object.fromEntries(values) as Record<Name, unknown>
  }
}
