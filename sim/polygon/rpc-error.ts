/** An error as JSON-RPC carries it. */
export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const invalidRequest = (message: string) => new RpcError(-32600, message)
export const unknownMethod = (method: string) =>
  new RpcError(-32601, `the method ${method} does not exist/is not available`)
export const invalidParams = (message: string) => new RpcError(-32602, message)
export const serverError = (message: string) => new RpcError(-32000, message)
