package compare

import (
	"strings"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/vcdm/keys"
)

// Format names a format of credentials.
type Format string

const (
	VCDM  Format = "vcdm"
	SDJWT Format = "sd-jwt-vc"
	Mdoc  Format = "mdoc"

	Document Format = "document" // no credential: a document that is canonicalized
	Floor    Format = "floor"    // no credential: what no proof can leave out
)

// Suites of [Floor]: what a proof over a canonical form costs at least, by method, and a bare signature.
const (
	FloorRDFC  = "floor-rdfc"
	FloorJCS   = "floor-jcs"
	Primitives = "primitives"
)

// NoAlgorithm is the algorithm of what is not signed.
const NoAlgorithm Algorithm = "none"

// Names that packages below have: ratios never mix engines or algorithms.
type (
	Engine    = canon.Engine
	Algorithm = keys.Algorithm
)

// ForeignPrefix begins the names of engines that are other programs.
const ForeignPrefix = "exec:"

// Foreign reports whether an engine is another program, by its name.
func Foreign(e Engine) bool { return strings.HasPrefix(string(e), ForeignPrefix) }

// Binding is whether holders sign what they present. Cell ids and JSON omit NoBinding.
type Binding string

const (
	NoBinding     Binding = ""
	HolderBinding Binding = "holder"
)

// Bindings lists the names that [ParseBinding] reads.
var Bindings = []string{NoBinding.String(), HolderBinding.String()}

// String returns the name: "none" of NoBinding.
func (b Binding) String() string {
	if b == NoBinding {
		return "none"
	}
	return string(b)
}

// ParseBinding reads what String wrote.
func ParseBinding(name string) (Binding, error) {
	if name == NoBinding.String() {
		return NoBinding, nil
	}
	return Binding(name), choice.Check("binding", name, Bindings)
}

// Presenting is how the holder of a suite that does not derive presents a part of a credential.
type Presenting string

const (
	Resigned   Presenting = ""      // the issuer signs the part anew
	HandedOver Presenting = "whole" // the holder hands on the whole credential
)

// Presentings lists the names that [ParsePresenting] reads.
var Presentings = []string{Resigned.String(), HandedOver.String()}

// String returns the name: "resigned" of Resigned.
func (p Presenting) String() string {
	if p == Resigned {
		return "resigned"
	}
	return string(p)
}

// ParsePresenting reads what String wrote.
func ParsePresenting(name string) (Presenting, error) {
	if name == Resigned.String() {
		return Resigned, nil
	}
	return Presenting(name), choice.Check("way to present", name, Presentings)
}

// ContextState is the state in which an operation finds the JSON-LD contexts.
type ContextState string

const (
	NoContexts ContextState = "none"     // there are none
	Cold       ContextState = "cold"     // each call asks the loader, parses and processes
	Embedded   ContextState = "embedded" // parsed beforehand, processed by each call
	Warm       ContextState = "warm"     // processed and kept
	Library    ContextState = "library"  // of a foreign engine: as its library keeps them
)

// ContextStates lists the states that a cell with contexts of an engine of the house may have.
var ContextStates = []ContextState{Cold, Embedded, Warm}
