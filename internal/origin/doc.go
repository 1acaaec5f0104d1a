// Package origin tells the requests that a browser sends for a page of another origin from those of programs.
package origin
