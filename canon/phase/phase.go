// Package phase names the phases of a credential operation. All attribution of cost uses these names.
package phase

// Phase is one named part of an operation.
type Phase uint8

// The phases, in the order of reports.
const (
	Parse Phase = iota
	Context
	Expand
	ToRDF
	Label
	Serialize
	JCS
	Digest
	Select
	Salt
	Encode
	Sign
	Check
	Validate
	Runtime
	GC
	Unattributed
	Count int = iota
)

var names = [Count]string{"parse", "context", "expand", "to-rdf", "label", "serialize", "jcs", "digest",
	"select", "salt", "encode", "sign", "check", "validate", "runtime", "gc", "unattributed"}

func (p Phase) String() string {
	if int(p) < Count {
		return names[p]
	}
	return "invalid phase"
}

// ByName returns the phase with the given name.
func ByName(name string) (Phase, bool) {
	for i, n := range names {
		if n == name {
			return Phase(i), true
		}
	}
	return 0, false
}
