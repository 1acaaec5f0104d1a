export { Pact, connect, type CallOptions, type ConnectOptions } from './client.js'
export {
  Context, type At, type Block, type CommitOptions, type OpenAIMessage, type OpenAIPart, type Reason, type Threads,
} from './context.js'
export { PactError, isPactError } from './failure.js'
export { open, type OpenOptions } from './open.js'
export type * from './schema.js'
