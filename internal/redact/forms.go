package redact

// form is how secrets of a kind are written.
type form struct {
	name   string
	begins []string           // one of these, literally
	then   string             // and this; a group, where there is one, is the secret
	long   bool               // it has lines, and nothing else looks like it
	drawn  bool               // words have the form, too: see drawn
	match  func(string) []int // what follows the beginning: where then and its group are
}

// A key in the form of PEM or of PGP, as files have it and as tools show files: with escaped ends of lines, numbers of
// lines, and the signs of a diff or a quotation before them. One that was cut off is one, too. No part has five hyphens
// and BEGIN: a search ends where the next would start.
const (
	margin   = `(?:[\s>+|-]|→|\\+[nrt]|[0-9]{1,6}[→|:\t])`
	headers  = `(?:` + margin + `{0,64}[A-Z][A-Za-z-]{3,20}: (?:-{0,4}[^\n\\-])*)*`
	lines    = `(?:` + margin + `{0,64}[A-Za-z0-9+/=]{32,})+`
	ending   = `(?:` + margin + `{0,64}[A-Za-z0-9+/=]{1,76}){0,2}` + margin + `{0,64}END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----`
	armoured = `(?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----` + headers + lines + `(?:` + ending + `)?`
)

// What stands between a name and its value, also where JSON or an address escapes it.
const (
	quote  = `(?:\\{1,4}u002[27]|%2[27]|[\\"']){0,3}`
	equals = quote + `\s{0,8}(?:[=:]|\\{1,4}u003[aAdD]|%3[aAdD])\s{0,8}` + quote
)

// forms are the known ones. None can read a text twice: what may repeat without an end is not begun again inside.
var forms = []form{
	{name: "Anthropic", begins: []string{"sk-ant-"}, then: `[a-z]{2,8}[0-9]{2}-[\w-]{32,}`},
	{name: "OpenAI", begins: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, then: `[\w-]{32,}`},
	{name: "OpenRouter", begins: []string{"sk-or-v1-"}, then: `[0-9a-f]{64}`},
	{name: "Langfuse", begins: []string{"sk-lf-"}, then: `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`},
	{name: "OpenAI, DeepSeek, Moonshot, LiteLLM", begins: []string{"sk-"}, then: `[\w-]{22,}`, drawn: true},
	{name: "Google, Gemini", begins: []string{"AIza"}, then: `[\w-]{35}`},
	{name: "Groq", begins: []string{"gsk_"}, then: `[A-Za-z0-9]{40,}`},
	{name: "xAI", begins: []string{"xai-"}, then: `[A-Za-z0-9]{60,}`},
	{name: "Cerebras", begins: []string{"csk-"}, then: `[a-z0-9]{40,}`},
	{name: "Perplexity", begins: []string{"pplx-"}, then: `[A-Za-z0-9]{40,}`},
	{name: "Together", begins: []string{"tgp_v1_"}, then: `[\w-]{40,}`},
	{name: "NVIDIA", begins: []string{"nvapi-"}, then: `[\w-]{60,}`},
	{name: "Hugging Face", begins: []string{"hf_", "api_org_"}, then: `[A-Za-z0-9]{30,}`},
	{name: "Replicate", begins: []string{"r8_"}, then: `[A-Za-z0-9]{37}`},
	{name: "LangSmith", begins: []string{"lsv2_pt_", "lsv2_sk_"}, then: `[0-9a-f]{32}_[0-9a-f]{10}`},
	{name: "Tavily", begins: []string{"tvly-"}, then: `(?:dev-|prod-)?[A-Za-z0-9]{32,}`},

	{name: "AWS, the id of a key", begins: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, then: `[A-Z2-7]{16}`},
	{name: "AWS, a key by its name",
		begins: []string{"aws_secret_access_key", "AWS_SECRET_ACCESS_KEY", "SecretAccessKey", "secretAccessKey"},
		then:   equals + `([A-Za-z0-9/+]{40})`},
	{name: "AWS, a token of a session", begins: []string{"aws_session_token", "AWS_SESSION_TOKEN", "SessionToken", "sessionToken"},
		then: equals + `([A-Za-z0-9/+=]{100,})`},
	{name: "AWS Bedrock", begins: []string{"ABSK"}, then: `(?:[A-Za-z0-9+/]{161,}|([A-Za-z0-9+/]{109,160}={0,2}))`},
	{name: "AWS Bedrock, for a session", begins: []string{"bedrock-api-key-"}, then: `[\w+/-]{60,}={0,2}`, drawn: true},
	{name: "Google, a token or a secret of OAuth", begins: []string{"ya29.", "GOCSPX-"},
		then: `(?:\w{1,4}\.)?[\w-]{28,}(?:\.[\w-]+)*`},
	{name: "Azure, the key of an account", begins: []string{"AccountKey=", "SharedAccessKey="}, then: `([A-Za-z0-9+/]{42,86}={1,2})`},
	{name: "DigitalOcean", begins: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, then: `[0-9a-f]{64}`},
	{name: "Databricks", begins: []string{"dapi"}, then: `[0-9a-f]{32}(?:-[0-9])?`},
	{name: "Supabase", begins: []string{"sbp_", "sb_secret_"}, then: `[\w-]{30,}`},
	{name: "Vault", begins: []string{"hvs.", "hvb."}, then: `[\w-]{80,}`},
	{name: "Heroku", begins: []string{"HRKU-"}, then: `[\w-]{36,}`},
	{name: "Fly", begins: []string{"fo1_", "fm2_"}, then: `[\w+/=-]{43,}`},

	{name: "GitHub", begins: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, then: `[A-Za-z0-9]{36,}`},
	{name: "GitHub, fine-grained", begins: []string{"github_pat_"}, then: `\w{60,}`},
	{name: "GitLab", begins: []string{"glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-"}, then: `[\w.-]{20,}`},
	{name: "Atlassian, Bitbucket", begins: []string{"ATATT3", "ATCTT3", "ATBB"}, then: `[\w=-]{32,}`},
	{name: "Slack", begins: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xoxp-",
		"xoxe.xoxb-", "xapp-"}, then: `[\w%+/-]{20,}`},
	{name: "Slack, the address of a hook",
		begins: []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"},
		then:   `([A-Z0-9]{6,}/(?:[A-Z0-9]{6,}/){1,2}[A-Za-z0-9]{20,})`},
	{name: "Discord, the address of a hook", begins: []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"},
		then: `([0-9]{4,20}/[\w-]{24,})`, drawn: true},
	{name: "npm", begins: []string{"npm_"}, then: `[A-Za-z0-9]{36}`},
	{name: "PyPI", begins: []string{"pypi-AgE"}, then: `[\w-]{50,}`},
	{name: "RubyGems", begins: []string{"rubygems_"}, then: `[0-9a-f]{48}`},
	{name: "Docker", begins: []string{"dckr_pat_", "dckr_oat_"}, then: `[\w-]{27,}`},

	{name: "Stripe", begins: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"}, then: `[A-Za-z0-9+/=]{24,}`},
	{name: "Shopify", begins: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, then: `[0-9a-fA-F]{32}`},
	{name: "SendGrid", begins: []string{"SG."}, then: `[\w-]{22}\.[\w-]{43}`},
	{name: "Linear, Notion, Postman", begins: []string{"lin_api_", "lin_oauth_", "ntn_", "PMAK-"}, then: `[\w-]{40,}`},
	{name: "Grafana, Sentry, New Relic", begins: []string{"glsa_", "glc_", "sntrys_", "sntryu_", "NRAK-"}, then: `[\w+/=-]{27,}`},

	{name: "a private key", begins: []string{"-----BEGIN "}, then: armoured, long: true},
	{name: "age, a private key", begins: []string{"AGE-SECRET-KEY-1"}, then: `[0-9A-Z]{58}`},
	{name: "a JSON Web Token", begins: []string{"eyJ"}, then: `[\w-]{10,400}\.eyJ[\w-]{10,}\.[\w-]{16,}`},
	{name: "what follows Bearer", begins: []string{"Bearer ", "bearer ", "BEARER "},
		then: `([A-Za-z._~+/-]{0,200}[0-9][\w.~+/-]*=*)`, drawn: true},
	{name: "the password of an address", begins: []string{"://"}, then: `[^\s/:@?#"'<>\\]{0,64}:([^\s/@?#"'<>\\${}]{16,256})@`},
}
