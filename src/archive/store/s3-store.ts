import { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { messageOf, OperatorError } from '../../core/errors.js'
import type { ArchiveStore } from './archive-store.js'

type S3Location = { bucket: string; prefix: string }

/** A file is sent in parts of this size, of which two are in memory: up to 10,000 parts are allowed. */
const PART_BYTES = 16 * 1024 * 1024
const PARTS_AT_ONCE = 2

/**
 * An archive in a bucket. An object appears when its upload is complete; one that is not is no object. Keys, region and
 * the address of another server than Amazon's are where all tools of AWS have them.
 */
export function createS3Store({ bucket, prefix }: S3Location, config: S3ClientConfig = {}): ArchiveStore {
  const client = new S3Client({
    // What other servers than Amazon's understand.
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...config,
  })
  const location = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
  const at = (path: string) => ({ Bucket: bucket, Key: prefix === '' ? path : `${prefix}/${path}` })
  const explained = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof NoSuchKey) throw error
      throw new OperatorError(`${location} cannot be used: ${messageOf(error)}`, 1, { cause: error })
    }
  }
  const get = async (path: string, range?: string) => {
    const { Body } = await explained(client.send(new GetObjectCommand({ ...at(path), Range: range })))
    if (Body === undefined) throw new Error(`${location}/${path} came without a body`)
    return Body
  }

  return {
    location,
    async read(path) {
      try {
        return Buffer.from(await (await get(path)).transformToByteArray())
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined
        throw error
      }
    },
    async *stream(path) {
      yield* (await get(path)) as unknown as AsyncIterable<Uint8Array>
    },
    async open(path) {
      const { ContentLength: size = 0 } = await explained(client.send(new HeadObjectCommand(at(path))))
      return {
        byteLength: size,
        async slice(start, end = size) {
          const bytes = await (await get(path, `bytes=${start}-${end - 1}`)).transformToByteArray()
          return new Uint8Array(bytes).buffer
        },
        close: async () => undefined,
      }
    },
    async write(path, chunks) {
      // A fault of the rows themselves, such as a lost database, is none of the server's.
      let fault: { error: unknown } | undefined
      const body = async function* () {
        try {
          yield* chunks
        } catch (error) {
          fault = { error }
          throw error
        }
      }
      const upload = new Upload({
        client,
        params: { ...at(path), Body: Readable.from(body(), { objectMode: false }) },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_ONCE,
      })
      await explained(upload.done()).catch((error: unknown) => {
        throw fault === undefined ? error : fault.error
      })
    },
    async remove(path) {
      await explained(client.send(new DeleteObjectCommand(at(path))))
    },
    // The server keeps parts of uploads that were not completed apart, and a rule of the bucket removes them.
    removeUnfinished: async () => undefined,
    async list(folder) {
      const paths: string[] = []
      const below = at(folder).Key
      let token: string | undefined
      do {
        const command = new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: `${below}/`,
          ContinuationToken: token,
        })
        const { Contents = [], NextContinuationToken } = await explained(client.send(command))
        for (const { Key = '' } of Contents) paths.push(prefix === '' ? Key : Key.slice(prefix.length + 1))
        token = NextContinuationToken
      } while (token !== undefined)
      return paths.sort()
    },
    close: async () => client.destroy(),
  }
}
