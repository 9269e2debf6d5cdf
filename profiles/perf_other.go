//go:build !linux || !(amd64 || arm64)

package profiles

import "runtime"

type perfCapture struct{}

func startPerf() (*perfCapture, error) { return nil, probePerf() }

func probePerf() error {
	here := runtime.GOOS + " on " + runtime.GOARCH
	return &SamplerError{Perf, "it needs Linux on amd64 or arm64, not " + here}
}

func (p *perfCapture) enter(string) {}

func (p *perfCapture) halt() {}

func (p *perfCapture) finish(*Recording) error { return errNoProfile }
