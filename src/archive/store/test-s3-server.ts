import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { makeOpenFolder } from '../../../test/open-folder.js'

type S3Server = { run(): Promise<AddressInfo>; close(): Promise<void> }
type S3ServerOptions = {
  port: number
  address: string
  silent: boolean
  directory: string
  configureBuckets: { name: string }[]
}

/** It has no types. */
const S3rver = createRequire(import.meta.url)('s3rver') as new (options: S3ServerOptions) => S3Server

/** A server that speaks the protocol of S3, with an empty bucket in a folder of its own. */
export async function startS3Server({ bucket }: { bucket: string }) {
  const directory = makeOpenFolder('s3')
  const configureBuckets = [{ name: bucket }]
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets })
  const { port } = await server.run()
  return {
    config: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    async close() {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
