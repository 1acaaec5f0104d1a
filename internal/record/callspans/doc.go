// Package callspans makes a span of each call of a provider that a recorder sees, through the API of
// OpenTelemetry. A span has the names of models, counts of tokens and the status of the call, and no content.
package callspans
