// Package safefile replaces files as a whole: the old file stays until the new one
// is complete and on the disk. It also makes temporary files that leave nothing behind.
package safefile
