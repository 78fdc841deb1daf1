/** Where the files of an archive are: a folder, or a bucket of S3. Paths have `/` between their parts. */
export type ArchiveStore = {
  /** As the operator named it, without secrets. */
  readonly location: string
  /** The whole of a small file; `undefined`: it is not there. */
  read(path: string): Promise<Buffer | undefined>
  /** The bytes of a file in their order. Throws when it is not there. */
  stream(path: string): AsyncIterable<Uint8Array>
  /** A file of which parts are read. Throws when it is not there. */
  open(path: string): Promise<StoredFile>
  /** The file is at its path when all of it is written, and not before; one that is there is replaced. */
  write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
  remove(path: string): Promise<void>
  /** Removes what killed runs have left unfinished. */
  removeUnfinished(): Promise<void>
  /** Paths below this folder, in the order of their names. */
  list(folder: string): Promise<string[]>
  close(): Promise<void>
}

/** What the reader of Parquet files wants. */
export type StoredFile = {
  byteLength: number
  slice(start: number, end?: number): Promise<ArrayBuffer>
  close(): Promise<void>
}

export const writeText = (store: ArchiveStore, path: string, text: string): Promise<void> =>
  store.write(
    path,
    (async function* () {
      yield Buffer.from(text)
    })(),
  )
