import type { Failure, PublishedFailure, Written } from './schema.js'

/** Why the server refused a request, or why it could not be asked. `code` is one of docs/errors.md, one of HTTP in
 * docs/server.md, or one of the client: E_UNREACHABLE, E_PROGRAM, E_ANSWER, E_CLOSED. */
export class PactError extends Error {
  override readonly name = 'PactError'
  readonly code: string
  /** The HTTP status; 0 if the server did not answer. */
  readonly status: number
  /** What to do about it. */
  readonly remedy: string | undefined
  /** The part of the input that is wrong, and where it begins. */
  readonly token: string | undefined
  readonly offset: number | undefined
  readonly line: number | undefined
  /** The id of the node concerned. */
  readonly node: string | undefined
  /** Of E_CONFLICT: what others wrote, oldest first. */
  readonly meanwhile: Written[]

  constructor(f: Partial<Failure> & Pick<Failure, 'code' | 'detail'>, options?: ErrorOptions) {
    super(`${f.code}${f.node ? ` node "${f.node}"` : ''}: ${f.detail}${f.remedy ? ` (${f.remedy})` : ''}`, options)
    this.code = f.code
    this.status = f.status ?? 0
    this.remedy = f.remedy
    this.token = f.token
    this.offset = f.offset
    this.line = f.line
    this.node = f.node
    this.meanwhile = f.meanwhile ?? []
  }

  /** What the server says in an answer that refuses. */
  static async of(answer: Response): Promise<PactError> {
    const said = plainly(await answer.json().catch(() => null) as Partial<Failure & PublishedFailure> | null)
    if (said?.code && said.detail) {
      return new PactError({ status: answer.status, ...said, code: said.code, detail: said.detail })
    }
    return new PactError({ code: 'E_ANSWER', status: answer.status,
      detail: `the answer ${answer.status} is none of pact`, remedy: 'check that the address is that of pact serve' })
  }
}

/** The refusal of a context of edition 1.0 in the form of all others. */
function plainly(said: Partial<Failure & PublishedFailure> | null): Partial<Failure> | null {
  const told = said?.error
  return told ? { ...told.details, code: told.details.reason, detail: told.message } : said
}

/** Reports whether a value is a PactError, with one of these codes if any are given. */
export function isPactError(value: unknown, ...codes: string[]): value is PactError {
  return value instanceof PactError && (codes.length === 0 || codes.includes(value.code))
}
