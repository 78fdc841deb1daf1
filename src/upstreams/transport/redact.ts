const SECRET_CHARACTERS_MIN = 8

/**
 * Hides what the address of an upstream holds of keys. A host may repeat them when it refuses: a
 * plain `Cannot POST /v2/<key>` is the answer of many to a wrong path.
 */
export function createRedact(address: string): (text: string) => string {
  const secrets = secretsOf(address).filter(({ length }) => length >= SECRET_CHARACTERS_MIN)
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '********'), text)
}

function secretsOf(address: string): string[] {
  if (!URL.canParse(address)) return [address]
  const { pathname, searchParams, username, password } = new URL(address)
  return [...pathname.split('/'), ...searchParams.values(), username, password]
}
