//phase:caller
package matrix

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/compare"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/shape"
	"canonscope/schemas/vary"
)

// baseSchemas are those an axis is walked from if none is named: the first that has it.
var baseSchemas = []string{"clr-medium", "elm-medium", "simple-20"}

// Along makes an experiment of each axis, written AXIS=VALUE,VALUE, from each base schema. One axis varies,
// the others stand. Without bases a medium schema that has the axis is taken. The figures are those of the
// first document of a seed. A document that was given has the axes of package vary: its changed copies, and
// contexts in files, are added to the maps of given.
func Along(
	ctx context.Context, given compare.Given, bases, axes []string, seed uint64,
) ([]compare.Experiment, error) {
	var out []compare.Experiment
	for _, a := range axes {
		name, list, ok := strings.Cut(a, "=")
		values := strings.Split(list, ",")
		if !ok || name == "" || len(values) < 2 {
			return nil, fmt.Errorf("--axis %s: want AXIS=VALUE,VALUE,...: two values or more", a)
		}
		from := bases
		if len(from) == 0 {
			base, err := baseOf(name)
			if err != nil {
				return nil, fmt.Errorf("--axis %s: %w", a, err)
			}
			from = []string{base}
		}

		for _, base := range from {
			g, err := Generator(base, given)
			if err != nil {
				return nil, fmt.Errorf("--schema: %w", err)
			}
			e := compare.Experiment{Name: name, Base: g.Name()}
			own, err := ownAxis(ctx, g, given, name)
			if err != nil {
				return nil, fmt.Errorf("--axis %s: %w", a, err)
			}
			for i, v := range values {
				if slices.Contains(values[:i], v) {
					return nil, fmt.Errorf("--axis %s: %s is given twice", a, v)
				}
				at, label, disclose := g, v, compare.Disclosure("")
				switch {
				case name == compare.DiscloseAxis:
					disclose, err = compare.ParseDisclosure(v)
				case own != nil:
					at, label, err = own.with(ctx, v)
				default:
					at, err = catalogue.With(g, name, v)
				}
				if err != nil {
					return nil, fmt.Errorf("--axis %s: %w", a, err)
				}
				p, err := point(ctx, given, at, label, seed)
				if err != nil {
					return nil, err
				}
				p.Disclose = disclose
				if own != nil {
					if err := own.check(e.Points, p); err != nil {
						return nil, fmt.Errorf("--axis %s: %w", a, err)
					}
				}
				e.Points = append(e.Points, p)
			}
			e.About = aboutAxis(name)
			out = append(out, e)
		}
	}

	return out, nil
}

// Presets makes the experiments of the catalogue's presets.
func Presets(
	ctx context.Context, given compare.Given, names []string, seed uint64,
) ([]compare.Experiment, error) {
	var out []compare.Experiment
	for _, name := range names {
		preset, err := catalogue.PresetNamed(name)
		if err != nil {
			return nil, fmt.Errorf("--preset: %w", err)
		}
		e := compare.Experiment{Name: preset.Name, About: preset.About}
		for i, s := range preset.Schemas {
			g, err := catalogue.Get(s)
			if err != nil {
				return nil, err
			}
			p, err := point(ctx, given, g, preset.Labels[i], seed)
			if err != nil {
				return nil, err
			}
			e.Points = append(e.Points, p)
		}
		out = append(out, e)
	}
	return out, nil
}

func point(
	ctx context.Context, given compare.Given, g schemas.Generator, label string, seed uint64,
) (compare.Point, error) {
	c, err := g.Document(seed, 0)
	if err != nil {
		return compare.Point{}, err
	}
	f, err := shape.Measure(ctx, c.VCDM, shape.Options{Input: c.Kind.Input(), Loader: Loader(given)})
	if err != nil {
		return compare.Point{}, fmt.Errorf("schema %s: %w", g.Name(), err)
	}
	return compare.Point{Label: label, Schema: g.Name(), Figures: f}, nil
}

func baseOf(axis string) (string, error) {
	if axis == compare.DiscloseAxis {
		return defaultSchemas[0], nil
	}
	if _, ok := vary.Parse(axis); ok {
		return "", errNoFile
	}
	for _, base := range append(slices.Clone(baseSchemas), catalogue.Names()...) {
		axes, err := catalogue.Axes(base)
		if err == nil && slices.ContainsFunc(axes, func(a *catalogue.Axis) bool { return a.Name == axis }) {
			return base, nil
		}
	}
	all, err := catalogue.Axes("")
	if err != nil {
		return "", err
	}
	known := []string{compare.DiscloseAxis}
	for _, a := range all {
		known = slices.Insert(known, len(known)-1, a.Name)
	}
	return "", choice.Unknown("axis", axis, known...)
}

// aboutAxis describes an axis.
func aboutAxis(name string) string {
	if name == compare.DiscloseAxis {
		return "elements that are presented: spread over the subject, all, or those at a JSON pointer"
	}
	if axis, ok := vary.Parse(name); ok {
		return axis.About()
	}
	all, err := catalogue.Axes("")
	if err != nil {
		return ""
	}
	return all[slices.IndexFunc(all, func(a *catalogue.Axis) bool { return a.Name == name })].About
}

// SelectExperiments returns the exchanges of experiments that the filter names: of the suite
// eddsa-rdfc-2022, or rdfc for canonize, if it names neither formats, suites nor algorithms, and with the
// engines native and stock if it names no engines.
func SelectExperiments(experiments []compare.Experiment, f Filter, p Policy) (*Selection, error) {
	if len(f.Formats)+len(f.Suites)+len(f.Algorithms) == 0 {
		canonize := string(compare.Canonize)
		if slices.Contains(f.Operations, canonize) {
			f.Suites = append(f.Suites, string(canon.RDFC))
		}
		other := func(op string) bool { return op != canonize }
		if len(f.Operations) == 0 || slices.ContainsFunc(f.Operations, other) {
			f.Suites = append(f.Suites, "eddsa-rdfc-2022")
		}
	}

	if len(f.Engines) == 0 {
		f.Engines = []string{string(canon.Native), string(canon.Stock)}
	}

	f.Default = false
	var points []compare.Point
	for _, e := range experiments {
		points = append(points, e.Points...)
	}

	s, err := selectPoints(f, p, points)
	if err != nil {
		return nil, err
	}

	presented := func(p compare.Point) bool { return p.Disclose != "" }
	if s.Disclosed == nil && slices.ContainsFunc(points, presented) {
		return nil, fmt.Errorf("--axis %s: what is canonicalized is not presented; "+
			"name another axis or operation",
			compare.DiscloseAxis)
	}

	return s, nil
}
