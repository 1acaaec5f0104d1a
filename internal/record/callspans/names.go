package callspans

// Names of attributes of spans, and some of their values. No release of the conventions for
// generative AI calls them stable, and their constants in Go end with semconv/v1.41.0, so these
// are constants of our own, in this file alone.
const (
	operationName = "gen_ai.operation.name"
	providerName  = "gen_ai.provider.name"
	requestModel  = "gen_ai.request.model"
	responseModel = "gen_ai.response.model"
	inputTokens   = "gen_ai.usage.input_tokens"
	outputTokens  = "gen_ai.usage.output_tokens"
	cachedTokens  = "gen_ai.usage.cache_read.input_tokens"

	serverAddress = "server.address"
	serverPort    = "server.port"
	errorType     = "error.type"
)

const (
	operationChat     = "chat"
	operationGenerate = "generate_content"

	errorCanceled = "canceled" // the client did not wait for the answer
	errorOther    = "_OTHER"   // no answer arrived, or only a part of one
)

// form is the name of an API in the conventions: its operation, and the provider whose form its requests have.
// Other providers take these forms too; the address of the server tells them apart.
type form struct{ operation, provider string }

var forms = map[string]form{
	"openai.chat":        {operationChat, "openai"},
	"openai.responses":   {operationChat, "openai"},
	"anthropic.messages": {operationChat, "anthropic"},
	"gemini.generate":    {operationGenerate, "gcp.gemini"},
}
