//phase:caller
package jsonld

import "fmt"

// Code is an error code of JSON-LD 1.1 (JSON-LD API section 9.6.2, JsonLdErrorCode).
type Code string

// The error codes that this package returns.
const (
	CollidingKeywords           Code = "colliding keywords"
	ConflictingIndexes          Code = "conflicting indexes"
	ContextOverflow             Code = "context overflow"
	CyclicIRIMapping            Code = "cyclic IRI mapping"
	InvalidIDValue              Code = "invalid @id value"
	InvalidImportValue          Code = "invalid @import value"
	InvalidIncludedValue        Code = "invalid @included value"
	InvalidIndexValue           Code = "invalid @index value"
	InvalidNestValue            Code = "invalid @nest value"
	InvalidPrefixValue          Code = "invalid @prefix value"
	InvalidPropagateValue       Code = "invalid @propagate value"
	InvalidProtectedValue       Code = "invalid @protected value"
	InvalidReverseValue         Code = "invalid @reverse value"
	InvalidVersionValue         Code = "invalid @version value"
	InvalidBaseDirection        Code = "invalid base direction"
	InvalidBaseIRI              Code = "invalid base IRI"
	InvalidContainerMapping     Code = "invalid container mapping"
	InvalidContextEntry         Code = "invalid context entry"
	InvalidContextNullification Code = "invalid context nullification"
	InvalidDefaultLanguage      Code = "invalid default language"
	InvalidIRIMapping           Code = "invalid IRI mapping"
	InvalidJSONLiteral          Code = "invalid JSON literal"
	InvalidKeywordAlias         Code = "invalid keyword alias"
	InvalidLanguageMapValue     Code = "invalid language map value"
	InvalidLanguageMapping      Code = "invalid language mapping"
	InvalidLanguageTaggedString Code = "invalid language-tagged string"
	InvalidLanguageTaggedValue  Code = "invalid language-tagged value"
	InvalidLocalContext         Code = "invalid local context"
	InvalidRemoteContext        Code = "invalid remote context"
	InvalidReverseProperty      Code = "invalid reverse property"
	InvalidReversePropertyMap   Code = "invalid reverse property map"
	InvalidReversePropertyValue Code = "invalid reverse property value"
	InvalidScopedContext        Code = "invalid scoped context"
	InvalidSetOrListObject      Code = "invalid set or list object"
	InvalidTermDefinition       Code = "invalid term definition"
	InvalidTypeMapping          Code = "invalid type mapping"
	InvalidTypeValue            Code = "invalid type value"
	InvalidTypedValue           Code = "invalid typed value"
	InvalidValueObject          Code = "invalid value object"
	InvalidValueObjectValue     Code = "invalid value object value"
	InvalidVocabMapping         Code = "invalid vocab mapping"
	KeywordRedefinition         Code = "keyword redefinition"
	LoadingDocumentFailed       Code = "loading document failed"
	LoadingRemoteContextFailed  Code = "loading remote context failed"
	ProtectedTermRedefinition   Code = "protected term redefinition"
)

// Error reports a document or context that JSON-LD forbids.
type Error struct {
	Code    Code
	Pointer string // JSON pointer to the faulty value, or to where the faulty context takes effect
	Detail  string // what is wrong there, and in which context
	Err     error  // cause, e.g. a loader's error; or nil
}

func (e *Error) Error() string {
	s := "JSON-LD: " + string(e.Code)
	if e.Pointer != "" {
		s += fmt.Sprintf(" at %q", e.Pointer)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }
