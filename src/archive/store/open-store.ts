import { resolve } from 'node:path'
import type { ArchiveStore } from './archive-store.js'
import { createFolderStore } from './folder-store.js'

const S3 = /^s3:\/\/([^/]+)\/?(.*)$/

/** `s3://bucket/prefix`, or a folder. What S3 needs is loaded only for it. */
export async function openArchiveStore(location: string): Promise<ArchiveStore> {
  const [, bucket, prefix = ''] = S3.exec(location) ?? []
  if (bucket === undefined) return createFolderStore(resolve(location))
  const { createS3Store } = await import('./s3-store.js')
  return createS3Store({ bucket, prefix: prefix.replace(/\/+$/, '') })
}
