package callspans

// The conventions whose names spans have: those for generative AI of OpenTelemetry, version 1.41.0, the last one that
// https://github.com/open-telemetry/semantic-conventions has in docs/gen-ai. No release calls them stable, so these are
// constants of our own, in this file alone.
const (
	Schema = "https://opentelemetry.io/schemas/1.41.0"
	Scope  = "github.com/contexttree/pact/record"

	OperationName  = "gen_ai.operation.name"
	ProviderName   = "gen_ai.provider.name"
	ConversationID = "gen_ai.conversation.id"
	RequestModel   = "gen_ai.request.model"
	ResponseModel  = "gen_ai.response.model"
	FinishReasons  = "gen_ai.response.finish_reasons"
	Instructions   = "gen_ai.system_instructions"
	Tools          = "gen_ai.tool.definitions"
	InputMessages  = "gen_ai.input.messages"
	OutputMessages = "gen_ai.output.messages"

	InputTokens     = "gen_ai.usage.input_tokens"
	OutputTokens    = "gen_ai.usage.output_tokens"
	CachedTokens    = "gen_ai.usage.cache_read.input_tokens"
	WrittenTokens   = "gen_ai.usage.cache_creation.input_tokens"
	ReasoningTokens = "gen_ai.usage.reasoning.output_tokens"

	serverAddress = "server.address"
	serverPort    = "server.port"
	ErrorType     = "error.type"
)

const (
	operationChat     = "chat"
	operationGenerate = "generate_content"

	errorCanceled = "canceled" // the client did not wait for the answer
	ErrorOther    = "_OTHER"   // no answer arrived, or only a part of one
)

// Form is the name of an API in the conventions: its operation, and the provider whose form its requests have.
// Other providers take these forms too; the address of the server tells them apart.
type Form struct{ Operation, Provider string }

// Forms has the form of each API.
var Forms = map[string]Form{
	"openai.chat":        {operationChat, "openai"},
	"openai.responses":   {operationChat, "openai"},
	"anthropic.messages": {operationChat, "anthropic"},
	"gemini.generate":    {operationGenerate, "gcp.gemini"},
}

// SpanName returns the name of the span of a call.
func (f Form) SpanName(model string) string {
	if model == "" {
		return f.Operation
	}
	return f.Operation + " " + model
}
