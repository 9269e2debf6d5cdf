package fleet

import (
	_ "unsafe" // for the name of a variable of another package

	_ "github.com/nats-io/nats-server/v2/server/pse" // whose init comes first
)

// statFile is what the server's package pse reads each second, in every process of this binary: also in those
// that measure, which have no server. It ends where the file cannot be read.
//
//go:linkname statFile github.com/nats-io/nats-server/v2/server/pse.procStatFile
var statFile string

func init() { statFile = "" }
