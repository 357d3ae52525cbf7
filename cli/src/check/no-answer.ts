/** A request that got no HTTP answer, why, and what to do. */

interface Cause {
  found: string
  remedy: string
}

const causes: Record<string, Cause> = {
  ABORT_ERR: {
    found: 'took longer than 5 s',
    remedy: 'Find what it waits for: these endpoints must answer at once, whatever else is under way.',
  },
  ECONNREFUSED: {
    found: 'was refused: nothing listens there',
    remedy: 'Start the service, and compare the port with the one it listens on.',
  },
  ECONNRESET: {
    found: 'was cut off before the answer was whole',
    remedy: 'Look at the log of the service, and whether it speaks http or https on this port.',
  },
  ENOTFOUND: {
    found: 'went nowhere: the name is not known',
    remedy: 'Correct the name in the URL, or add it to the name server.',
  },
}

const certificate: Cause = {
  found: 'met a certificate that is not trusted here',
  remedy: 'Use a name that the certificate covers; name a private authority’s file in NODE_EXTRA_CA_CERTS.',
}

export class NoAnswer extends Error {
  readonly remedy: string

  constructor(question: string, error: unknown) {
    const { found, remedy } = causeOf(error as NodeJS.ErrnoException)
    super(`${question} ${found}`, { cause: error })
    this.remedy = remedy
  }
}

function causeOf({ code = '', message }: NodeJS.ErrnoException): Cause {
  if (/CERT|SELF_SIGNED|ISSUER|ALTNAME/.test(code)) return certificate
  return (
    causes[code] ?? {
      found: `failed (${code || message})`,
      remedy: 'See that the service runs, that the URL is right, and that it speaks HTTP/1.1 there.',
    }
  )
}
