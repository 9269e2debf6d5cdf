// Package jsonld turns JSON-LD 1.1 documents into RDF datasets over compiled contexts.
package jsonld
