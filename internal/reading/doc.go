// Package reading writes a thread for people, as text or as Markdown.
package reading
