import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type AddressGuard, TargetError, type WebhookTarget } from './address-guard.js'
import type { Attempt } from './attempt.js'

/** A name with hundreds of addresses would be dialled until the time is over. */
const ADDRESSES_DIALLED_MAX = 4
/** Before the next address is tried. */
const ADDRESS_MS_MAX = 1_000

export type DialOptions = {
  guard: AddressGuard
  /** Certificates of authorities to trust instead of the known ones. */
  ca: string | undefined
}

/**
 * Opens a connection to one of the target's addresses, each of which was checked: nothing resolves the
 * name a second time in between. With TLS, the certificate must be valid for the host.
 */
export async function dial(
  target: WebhookTarget,
  { guard, ca }: DialOptions,
  attempt: Attempt,
): Promise<Socket> {
  const addresses = await orEnded(guard.resolve(target), attempt)
  const { host, port, url } = target
  const options = {
    host,
    port,
    lookup: lookUpIn(addresses.slice(0, ADDRESSES_DIALLED_MAX)),
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS_MAX,
  }
  const isTls = url.protocol === 'https:'
  const socket = isTls
    ? connectTls({
        ...options,
        ...(ca !== undefined && { ca }),
        ...(isIP(host) === 0 && { servername: host }),
        rejectUnauthorized: true,
        ALPNProtocols: ['http/1.1'],
      })
    : connectTcp(options)
  await opened(socket, isTls ? 'secureConnect' : 'connect', attempt)
  if (guard.allows(socket.remoteAddress ?? '', target)) return socket
  socket.destroy()
  throw new TargetError('leads to an address that is not public')
}

/** Answers with the checked addresses, in the form that the caller asks for. */
function lookUpIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    const [first = { address: '', family: 0 }] = found
    if (options.all === true) callback(null, found)
    else callback(null, first.address, first.family)
  }
}

/** The work itself goes on when the attempt is ended. */
function orEnded<T>(work: Promise<T>, attempt: Attempt): Promise<T> {
  return new Promise((resolve, reject) => {
    attempt.onEnd(reject)
    work.then(resolve, reject)
  })
}

function opened(socket: Socket, event: string, attempt: Attempt): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    attempt.onEnd((reason) => socket.destroy(reason))
    socket.once(event, resolve)
    // Stays for the life of the socket: an error without a listener would end the process.
    socket.on('error', reject)
    // The peer ended the connection before the handshake was over.
    socket.once('close', () => reject(new Error('closed')))
  })
}
