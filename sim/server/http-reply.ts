import type { ServerResponse } from 'node:http'
import type { HttpReply } from './host.js'
import type { HostFaults } from './host-faults.js'

/** What a proxy in front of a dead upstream says. */
export const GARBAGE = '<html><head><title>502 Bad Gateway</title></head><body>\u0000</body></html>'

const RETRY_AFTER_SECONDS = 2

/** The reply of a host that does not even look at the request. */
export function refuseByFault(faults: HostFaults): HttpReply | undefined {
  if (faults.hits('429')) {
    const headers = { 'retry-after': `${RETRY_AFTER_SECONDS}` }
    return { status: 429, body: { error: 'Too Many Requests' }, headers }
  }
  if (faults.hits('500')) return { status: 500, body: { error: 'Internal Server Error' } }
  return undefined
}

export function showBody({ body }: HttpReply): string {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

export function writeReply(response: ServerResponse, reply: HttpReply, faults: HostFaults): void {
  const bytes = Buffer.from(faults.hits('garbage') ? GARBAGE : showBody(reply))
  const skewed = faults.get('skew')
  if (skewed !== undefined) {
    response.setHeader('date', new Date(Date.now() + skewed.skewMs).toUTCString())
  }
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...reply.headers,
  })
  if (bytes.length > 0 && faults.hits('truncated')) {
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroy())
  } else response.end(bytes)
}
