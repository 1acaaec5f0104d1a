// Package redact finds what must not be stored or shown: what expressions of the user match, and the secrets whose
// form is known. docs/redaction.md has the list.
package redact
