/** The bytes of hex text that begins with `0x`. */
export const hexToBytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex')
