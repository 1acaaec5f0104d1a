//go:build !linux

package postgres

import (
	"net"
	"time"
)

// giveUpAfter leaves it to the system how long data may stay unacknowledged.
func giveUpAfter(*net.TCPConn, time.Duration) error { return nil }
