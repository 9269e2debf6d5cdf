//phase:caller
package matrix

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"canonscope/canon"
	"canonscope/canon/choice"
	"canonscope/compare"
	"canonscope/schemas"
	"canonscope/schemas/catalogue"
	"canonscope/schemas/shape"
	"canonscope/schemas/vary"
	"canonscope/vcdm/keys"
)

// baseSchemas are those an axis is walked from if none is named: the first that has it.
var baseSchemas = []string{"clr-medium", "elm-medium", "simple-20"}

// Along makes an experiment of each axis, written AXIS=VALUE,VALUE or AXIS=FROM..TO:POINTS, from each base
// schema. One axis varies, the others keep their values. Without bases a medium schema that has the axis is
// taken. The figures are those of the first document of a seed. A document that was given has the axes of
// package vary: its changed copies, and contexts in files, are added to the maps of given.
func Along(
	ctx context.Context, given compare.Given, bases, axes []string, seed uint64,
) ([]compare.Experiment, error) {
	var out []compare.Experiment
	for _, a := range axes {
		name, list, ok := strings.Cut(a, "=")
		values := strings.Split(list, ",")
		if from, to, ok := strings.Cut(list, ".."); ok && !strings.ContainsAny(list, ",/") {
			var err error
			if values, err = geometric(from, to); err != nil {
				return nil, fmt.Errorf("--axis %s: %w", a, err)
			}
		}
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
				return nil, err
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

// Points of a range: usual is for one that names none.
const (
	usualPoints = 9
	leastSizes  = 3
	mostPoints  = 50
)

// geometric returns the whole numbers of FROM..TO:POINTS, each so many times the last; from 0 on after it.
func geometric(from, to string) ([]string, error) {
	to, number, counted := strings.Cut(to, ":")
	low, err := strconv.Atoi(from)
	high, also := strconv.Atoi(to)
	points := usualPoints
	if counted && err == nil {
		points, err = strconv.Atoi(number)
	}
	switch {
	case err != nil || also != nil:
		return nil, errors.New("want AXIS=FROM..TO:POINTS in whole numbers, as attributes=5..500:9")
	case low < 0 || low >= high:
		return nil, fmt.Errorf("from %d to %d: want a range that begins at 0 or more and rises", low, high)
	case points < leastSizes || points > mostPoints:
		return nil, fmt.Errorf("%d points: want %d to %d", points, leastSizes, mostPoints)
	}

	var out []string
	first, steps := float64(low), points-1
	if low == 0 {
		first, steps, out = 1, points-2, append(out, "0")
	}
	for i := range steps + 1 {
		v := int(math.Round(first * math.Pow(float64(high)/first, float64(i)/float64(steps))))
		if text := strconv.Itoa(v); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out, nil
}

// By sets the figure that the costs of experiments grow with. One of the documents must have three values.
func By(experiments []compare.Experiment, figure string) error {
	for i := range experiments {
		known := append([]string{experiments[i].Name}, compare.Figures...)
		if err := choice.Check("figure", figure, known); err != nil {
			return err
		}
		seen := make(map[int]bool)
		for _, p := range experiments[i].Points {
			seen[p.Figure(figure)] = true
		}
		if len(seen) < leastSizes && figure != experiments[i].Name && figure != compare.ByDisclosures {
			return fmt.Errorf("%s: %d different along %s; a law needs %d", figure, len(seen),
				experiments[i].Name, leastSizes)
		}
		experiments[i].By = figure
	}
	return nil
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

// SelectRivals is [SelectExperiments] with other defaults: the usual suite of each format and VCDM over
// JCS, or rdfc and jcs for canonize, with the engine native; EdDSA, if all suites take it; and issue and
// verify, or on the axis of what is presented all operations.
func SelectRivals(experiments []compare.Experiment, f Filter, p Policy) (*Selection, error) {
	canonize := string(compare.Canonize)
	if len(f.Formats)+len(f.Suites)+len(f.Algorithms) == 0 {
		if slices.Contains(f.Operations, canonize) {
			f.Suites = choice.Names([]canon.Method{canon.RDFC, canon.JCS})
		} else {
			f.Suites = []string{"eddsa-rdfc-2022", "eddsa-jcs-2022", "jws", "cose-sign1"}
		}
	}
	if len(f.Algorithms) == 0 && f.suitesTake(keys.EdDSA) {
		f.Algorithms = []string{string(keys.EdDSA)}
	}
	if len(f.Engines) == 0 {
		f.Engines = []string{string(canon.Native)}
	}
	presents := func(e compare.Experiment) bool { return e.Name == compare.DiscloseAxis }
	if len(f.Operations) == 0 && !slices.Contains(f.Formats, string(compare.Document)) &&
		!slices.ContainsFunc(experiments, presents) {
		f.Operations = choice.Names(compare.Whole)
	}
	return SelectExperiments(experiments, f, p)
}

// suitesTake reports whether all suites that the filter names take an algorithm.
func (f *Filter) suitesTake(a compare.Algorithm) bool {
	for _, format := range Formats {
		for _, s := range format.Suites {
			named := (len(f.Formats) == 0 || slices.Contains(f.Formats, string(format.Name))) &&
				(len(f.Suites) == 0 || slices.Contains(f.Suites, s.Name))
			if named && !slices.Contains(s.Algorithms, a) {
				return false
			}
		}
	}
	return true
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
